// The laws of the algebra, for every schedule in the registry.

#include "catch.hpp"

#include <algorithm>

#include "algorithm_cases.hpp"
#include "model/algebra.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"

using agreement::Case;
using agreement::for_some_cases;
using namespace schedcc;

namespace {

using Rows = std::vector<std::pair<std::uint64_t, Transfers>>;

Rows rows(const Steps& steps) {
  Rows result;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    Transfers row;
    const std::uint64_t number = steps.fill(i, row);
    result.emplace_back(number, std::move(row));
  }
  return result;
}

/// One row per step in which something is sent, one chunk per transfer, ascending.
Rows chunk_by_chunk(const Steps& steps) {
  Rows result;
  for (const auto& [number, row] : rows(steps)) {
    Transfers single;
    for (Transfer t : row) {
      const std::uint32_t count = t.count;
      t.count = 1;
      for (std::uint32_t j = 0; j < count; ++j, ++t.first) single.push_back(t);
    }
    std::ranges::sort(single, {},
                      [](const Transfer& t) { return std::tuple(t.src, t.dst, t.first); });
    if (!single.empty()) result.emplace_back(number, std::move(single));
  }
  return result;
}

Report checked(const Steps& steps, const Problem& problem, const Machine& machine) {
  Source source;
  source.problem = problem;
  source.machine = machine.spec();
  source.open = [steps] { return stream(steps); };
  return check(source, machine);
}

/// Every schedule of the registry for some small problems, on machines on which all ranks are
/// alike, and time runs the same way forward and back.
template <typename F>
void each_schedule(F f) {
  for (const Rank P : {2u, 3u, 5u, 8u, 13u}) {
    for (const std::uint32_t K : {1u, 2u, 5u}) {
      for_some_cases(P, K, 4, [&](const Case& c) {
        if (c.request.machine.routed() || c.request.machine.channels()) return;
        f(c, c.algorithm->steps(c.request));
      });
    }
  }
}

template <typename F>
void each_broadcast(F f) {
  each_schedule([&](const Case& c, const Steps& steps) {
    if (c.request.problem.collective == Collective::broadcast) f(c, steps);
  });
}

/// What the reverse of a schedule does.
std::optional<Collective> dual(Collective collective) {
  using enum Collective;
  static const std::map<Collective, Collective> duals{
      {broadcast, reduce}, {reduce, broadcast},         {scatter, gather},
      {gather, scatter},   {allgather, reduce_scatter}, {reduce_scatter, allgather},
      {alltoall, alltoall}};
  const auto found = duals.find(collective);
  return found == duals.end() ? std::nullopt : std::optional(found->second);
}

/// The total exchange with rows and columns changed.
Steps transposed(const Steps& steps, const Problem& problem) {
  const std::uint64_t P = problem.ranks, K = problem.chunks;
  return Steps(steps.size(), [=](std::uint64_t row, Transfers& out) {
    Transfers whole;
    const std::uint64_t number = steps.fill(row, whole);
    for (const Transfer& t : whole) {
      for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
        const std::uint64_t o = c / K / P, d = c / K % P;
        out.push_back(copy(t.src, t.dst, static_cast<Chunk>((d * P + o) * K + c % K)));
      }
    }
    return number;
  });
}

bool has_copies(const Steps& steps) {
  Transfers all;
  for (std::uint64_t row = 0; row < steps.size(); ++row) steps.fill(row, all);
  return std::ranges::any_of(all, [](const Transfer& t) { return t.reduce == 0; });
}

/// Everything `by` steps later.
Steps delayed(const Steps& steps, std::uint64_t by) {
  return Steps(steps.size(),
               [=](std::uint64_t row, Transfers& out) { return by + steps.fill(row, out); });
}

}  // namespace

TEST_CASE("reverse twice is the identity") {
  each_schedule([](const Case& c, const Steps& steps) {
    const Steps copies = each_transfer(steps, [](Transfer& t) { t.reduce = 0; });
    const bool same = rows(reverse(reverse_reducing(steps), false)) == rows(copies);
    if (!same) FAIL_CHECK(c.text());
  });
}

TEST_CASE("the reverse of a broadcast is not that broadcast") {
  each_broadcast(
      [](const Case&, const Steps& steps) { CHECK(rows(reverse(steps, false)) != rows(steps)); });
}

TEST_CASE("the reverse of a broadcast is a reduction that holds, and so with all duals") {
  std::map<Collective, int> seen;
  each_schedule([&](const Case& c, const Steps& steps) {
    Problem problem = c.request.problem;
    const auto other = dual(problem.collective);
    if (!other || problem.ordered) return;
    // A result that is copied to its root would reach, backwards, a rank that has it.
    if (problem.reduction() && has_copies(steps)) return;
    ++seen[problem.collective];
    const Report forward = checked(steps, problem, c.request.machine);
    problem.collective = *other;
    Steps back = reverse(steps, problem.reduction());
    if (*other == Collective::alltoall) back = transposed(back, problem);
    const Report report = checked(back, problem, c.request.machine);
    if (report.verdict() != Verdict::holds || report.findings_total != 0) {
      FAIL_CHECK(c.text() << ": " << report.findings[0].message);
    }
    CHECK(std::tuple(report.steps, report.volume, report.messages) ==
          std::tuple(forward.steps, forward.volume, forward.messages));
  });
  CHECK(seen.size() == 7);
}

TEST_CASE("sequence adds steps, and what comes first does not matter where nothing does") {
  each_schedule([](const Case&, const Steps& steps) {
    const Steps both = sequence(steps, steps);
    CHECK(both.size() == 2 * steps.size());
    CHECK(both.span() == 2 * steps.span());
    CHECK(rows(sequence(Steps(), steps)) == rows(steps));
    CHECK(rows(sequence(steps, Steps())) == rows(steps));
    CHECK(rows(sequence(both, steps)) == rows(sequence(steps, both)));
  });
}

TEST_CASE("the reverse of a sequence is the sequence of the reverses, the other way round") {
  each_schedule([](const Case&, const Steps& steps) {
    const Steps half = reverse_reducing(steps);
    CHECK(rows(reverse(sequence(steps, half), false)) ==
          rows(sequence(reverse(half, false), reverse(steps, false))));
  });
}

TEST_CASE("reduce, then broadcast is an allreduce in the sum of their steps") {
  each_broadcast([](const Case& c, const Steps& steps) {
    Problem problem = c.request.problem;
    problem.collective = Collective::allreduce;
    problem.root = 0;
    const Steps both = sequence(reverse_reducing(steps), steps);
    // In LogP the last message of the reduction must arrive before the broadcast begins.
    if (c.request.machine.timing()) return;
    const Report report = checked(both, problem, c.request.machine);
    CHECK(report.verdict() == Verdict::holds);
    CHECK(report.steps == 2 * steps.span());
  });
}

TEST_CASE("reverses and sequences are read in the parts of their steps") {
  for (const std::uint32_t ranks : {3, 9, 64}) {
    const Problem problem{Collective::broadcast, ranks, 0, 5, false, nullptr};
    const Steps divided = from_algorithm("circulant", problem).open()->rows().value();
    const Steps whole(divided.size(), [divided](std::uint64_t row, Transfers& out) {
      return divided.fill(row, out);
    });
    CHECK(sequence(divided, whole).parts() == 1);
    for (const Steps& steps : {reverse_reducing(divided), sequence(divided, divided),
                               sequence(reverse_reducing(divided), divided),
                               reverse(sequence(divided, divided), false)}) {
      for (const std::uint64_t parts : {1, 2, 7}) {
        REQUIRE(steps.divides(parts));
        for (std::uint64_t row = 0; row < steps.size(); ++row) {
          Transfers all, joined, buffer;
          const std::uint64_t number = steps.fill(row, all);
          for (std::uint64_t part = 0; part < parts; ++part) {
            const Step step = steps.read(row, {part, part + 1, parts}, buffer);
            CHECK(step.number == number);
            joined.insert(joined.end(), step.transfers.begin(), step.transfers.end());
          }
          CHECK(joined == all);
        }
      }
    }
  }
}

TEST_CASE("relabelling by a permutation and back is the identity") {
  each_schedule([](const Case& c, const Steps& steps) {
    const Rank P = c.request.problem.ranks;
    const auto there = [P](Rank v) { return v + 1 < P ? v + 1 : 0; };
    const auto back = [P](Rank v) { return v > 0 ? v - 1 : P - 1; };
    const Steps moved = relabel(steps, there);
    CHECK(rows(relabel(moved, back)) == rows(steps));
    CHECK(rows(moved) != rows(steps));
    CHECK(rows(reverse_reducing(moved)) == rows(relabel(reverse_reducing(steps), there)));
    CHECK(rows(sequence(moved, moved)) == rows(relabel(sequence(steps, steps), there)));
  });
}

TEST_CASE("a broadcast relabelled is one from where its root went") {
  each_broadcast([](const Case& c, const Steps& steps) {
    Problem problem = c.request.problem;
    const Rank P = problem.ranks;
    const auto mirror = [P](Rank v) { return P - 1 - v; };
    problem.root = mirror(problem.root);
    const Report report = checked(relabel(steps, mirror), problem, c.request.machine);
    CHECK(report.verdict() == Verdict::holds);
  });
}

TEST_CASE("rotating chunks all the way round is the identity up to cuts") {
  const Steps one =
      every_step(1, [](std::uint64_t, Transfers& out) { out.push_back(copy(0, 1, 3, 4)); });
  CHECK(rows(rotate_chunks(one, 8, 8)) == rows(one));
  const auto wrapped = rows(rotate_chunks(one, 3, 8));
  CHECK(wrapped[0].second == Transfers{copy(0, 1, 6, 2), copy(0, 1, 0, 2)});
  each_schedule([](const Case& c, const Steps& steps) {
    const std::uint64_t total = c.algorithm->problem(c.request).total_chunks();
    const Steps round = rotate_chunks(rotate_chunks(steps, 1, total), total - 1, total);
    CHECK(chunk_by_chunk(round) == chunk_by_chunk(steps));
  });
}

TEST_CASE("parallel holds each part's steps, in the order of the parts") {
  const auto hop = [](Rank src, std::uint64_t step) {
    return Steps(1, [=](std::uint64_t, Transfers& out) {
      out.push_back(copy(src, src + 1, 0));
      return step;
    });
  };
  const auto both = rows(parallel({hop(0, 5), hop(2, 3), hop(4, 5), Steps()}));
  REQUIRE(both.size() == 2);
  CHECK(both[0] == std::pair{std::uint64_t{3}, Transfers{copy(2, 3, 0)}});
  CHECK(both[1] == std::pair{std::uint64_t{5}, Transfers{copy(0, 1, 0), copy(4, 5, 0)}});
  each_schedule([](const Case&, const Steps& steps) {
    const Steps longer = sequence(steps, steps);
    CHECK(rows(parallel({steps})) == rows(steps));
    CHECK(parallel({steps, longer}).span() == longer.span());
    CHECK(rows(parallel({steps, parallel({longer, steps})})) ==
          rows(parallel({steps, longer, steps})));
  });
}

TEST_CASE("two broadcasts on disjoint ranks take the steps of the longer one") {
  each_broadcast([](const Case& c, const Steps& steps) {
    const Problem& problem = c.request.problem;
    const Rank P = problem.ranks;
    const std::uint32_t K = problem.chunks;
    // The same once more, on ranks P..2P-1 with chunks K..2K-1, a step later.
    const Steps other = delayed(each_transfer(relabel(steps, [P](Rank v) { return P + v; }),
                                              [K](Transfer& t) { t.first += K; }),
                                1);
    std::vector<Holding> pre, post;
    for (const Rank half : {0u, 1u}) {
      const Run run{half * K, K};
      pre.push_back({half * P + problem.root, {run}});
      for (Rank v = 0; v < P; ++v) post.push_back({half * P + v, {run}});
    }
    Problem two;
    two.collective = Collective::custom;
    two.ranks = 2 * P;
    two.chunks = 2 * K;
    two.custom = std::make_shared<const Custom>(pre, post);
    const Machine machine = make_machine(c.machine, 2 * P);
    const Steps both = parallel({steps, other});
    CHECK(both.span() == steps.span() + 1);
    const Report report = checked(both, two, machine);
    CHECK(report.verdict() == Verdict::holds);
    // On the same ranks they get into each other's way.
    if (machine.ports() && P > 2) {
      CHECK(checked(parallel({steps, steps}), problem, c.request.machine).verdict() ==
            Verdict::violated);
    }
  });
}

TEST_CASE("split deals packets out to trees") {
  const Steps run =
      every_step(1, [](std::uint64_t, Transfers& out) { out.push_back(copy(0, 1, 1, 2)); });
  CHECK(rows(split({run, run}))[0].second ==
        Transfers{copy(0, 1, 2), copy(0, 1, 4), copy(0, 1, 3), copy(0, 1, 5)});
}

TEST_CASE("split leaves each tree as it is, its packets m apart") {
  each_schedule([](const Case&, const Steps& steps) {
    CHECK(chunk_by_chunk(split({steps})) == chunk_by_chunk(steps));
    const std::vector<Steps> trees{steps, delayed(steps, 2), reverse(steps, false)};
    const Rows dealt = chunk_by_chunk(split(trees));
    for (std::uint32_t i = 0; i < 3; ++i) {
      Rows own;
      for (const auto& [number, row] : dealt) {
        Transfers packets;
        for (Transfer t : row) {
          if (t.first % 3 != i) continue;
          t.first /= 3;
          packets.push_back(t);
        }
        if (!packets.empty()) own.emplace_back(number, std::move(packets));
      }
      CHECK(own == chunk_by_chunk(trees[i]));
    }
  });
}

TEST_CASE("two trees, one after the other, broadcast twice the packets") {
  each_broadcast([](const Case& c, const Steps& steps) {
    if (c.request.machine.timing()) return;  // ranks may do two things at a time where the two meet
    Problem problem = c.request.problem;
    problem.chunks *= 2;
    const Report report =
        checked(split({steps, delayed(steps, steps.span())}), problem, c.request.machine);
    CHECK(report.verdict() == Verdict::holds);
    CHECK(report.steps == 2 * steps.span());
  });
}

TEST_CASE("a sequence of many is the sequence of each and the rest") {
  each_broadcast([](const Case&, const Steps& steps) {
    const Steps twice = reverse_reducing(steps);
    CHECK(rows(sequence(std::vector<Steps>{steps, Steps(), twice, steps})) ==
          rows(sequence(steps, sequence(twice, steps))));
  });
  CHECK(sequence(std::vector<Steps>{}).size() == 0);
  CHECK(sequence(std::vector<Steps>{Steps(), Steps()}).span() == 0);
}

TEST_CASE("replicate is parallel over changed copies") {
  each_broadcast([](const Case&, const Steps& steps) {
    const auto edit = [](std::uint64_t i, Transfer& t) {
      t.src += static_cast<Rank>(16 * i);
      t.dst += static_cast<Rank>(16 * i);
      t.first += static_cast<Chunk>(5 * i);
    };
    std::vector<Steps> copies;
    for (std::uint64_t i = 0; i < 3; ++i) {
      copies.push_back(each_transfer(steps, [=](Transfer& t) { edit(i, t); }));
    }
    CHECK(rows(replicate(steps, 3, edit)) == rows(parallel(copies)));
    CHECK(rows(replicate(steps, 1, edit)) == rows(steps));
  });
}

TEST_CASE("expanded blocks lie one behind the other, and the empty ones are gone") {
  const Steps blocks = every_step(3, [](std::uint64_t t, Transfers& out) {
    if (t == 0) out = {copy(0, 1, 0, 2), copy(2, 3, 2)};
    if (t == 1) out = {copy(0, 1, 2)};
    if (t == 2) out = {copy(1, 2, 1, 3), copy(0, 3, 0)};
  });
  const auto expanded = rows(expand_blocks(blocks, {4, 1, 0, 2}));
  REQUIRE(expanded.size() == 2);
  CHECK(expanded[0] == std::pair{std::uint64_t{0}, Transfers{copy(0, 1, 0, 5)}});
  CHECK(expanded[1] == std::pair{std::uint64_t{1}, Transfers{copy(1, 2, 4, 3), copy(0, 3, 0, 4)}});
  CHECK(expand_blocks(blocks, {0, 0, 0, 0}).size() == 0);
  CHECK(rows(expand_blocks(blocks, {1, 1, 1, 1})) == rows(blocks));
}
