// Checks of reductions by their mirror image: the report is that of the check of all transfers,
// byte by byte.

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "excerpts.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"

using namespace agreement;
using namespace excerpts;
using ranges::part;

namespace {

std::optional<Report> by_mirror(const Source& source, const Machine& machine,
                                const CheckOptions& options = {}, std::size_t threads = 2) {
  return check_by_mirror(source, machine, options, {.threads = threads});
}

/// The report in full, which is required to be that by the image, if there is one.
std::string same_by_mirror(const Source& source, const Machine& machine,
                           const CheckOptions& options = {}) {
  const std::string full = same_by_excerpt(source, machine, options);
  for (const std::size_t threads : {1, 2, 3}) {
    const auto report = by_mirror(source, machine, options, threads);
    if (report) CHECK(to_json(*report) == full);
  }
  return full;
}

/// For each chunk a tree in which all ranks hear from the root, at most one transfer of a chunk at
/// a rank in a step, in random steps.
Rows random_broadcast(const Problem& problem, Random& random) {
  Rows steps;
  for (Chunk chunk = 0; chunk < problem.chunks; ++chunk) {
    std::vector<std::pair<Rank, std::size_t>> have{{problem.root, random.below(3)}};
    std::vector<Rank> others;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      if (rank != problem.root) others.push_back(rank);
    }
    while (!others.empty()) {
      const std::size_t i = random.below(others.size());
      const auto [from, since] = random.pick(have);
      const std::size_t step = since + random.below(3);
      steps.resize(std::max(steps.size(), step + 1));
      steps[step].push_back(copy(from, others[i], chunk));
      have.emplace_back(others[i], step + 1);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return steps;
}

Rows backwards(Rows rows) {
  std::ranges::reverse(rows);
  for (Transfers& step : rows) {
    for (Transfer& t : step) t = {t.dst, t.src, t.first, t.count, 1};
  }
  return rows;
}

/// The reduction, and for an allreduce the broadcast after it.
Rows random_reduction(Problem problem, Random& random) {
  if (problem.collective == Collective::allreduce) problem.root = random.below(problem.ranks);
  const Rows broadcast = random_broadcast(problem, random);
  Rows rows = backwards(broadcast);
  if (problem.collective == Collective::allreduce) {
    if (random.one_in(3)) rows.resize(rows.size() + 1 + random.below(2));
    rows.insert(rows.end(), broadcast.begin(), broadcast.end());
  }
  return rows;
}

Problem random_problem(Random& random) {
  const bool twice = random.one_in(2);
  const Rank ranks = 2 + random.below(7);
  const Rank root = twice ? 0 : random.below(ranks);
  return {twice ? Collective::allreduce : Collective::reduce,
          ranks,
          root,
          1 + random.below(5),
          false,
          nullptr};
}

/// Ports for whatever a rank does.
std::string any_ports(const Problem& problem) {
  return "kport:k=" + std::to_string(problem.ranks * problem.chunks);
}

}  // namespace

TEST_CASE("checks by the mirror image report the same for every algorithm") {
  std::size_t cases = 0, seen = 0;
  for (const Rank ranks : {2, 3, 5, 8, 12, 17}) {
    for (const std::uint32_t chunks : {1, 2, 7, 24}) {
      for_some_cases(ranks, chunks, part(1, 3), [&](const Case& c) {
        const Collective collective = c.request.problem.collective;
        if (collective != Collective::reduce && collective != Collective::allreduce) return;
        const Source source = from_algorithm(*c.algorithm, c.request, "algorithm");
        INFO(c.text());
        same_by_mirror(source, c.request.machine);
        seen += by_mirror(source, c.request.machine).has_value();
        ++cases;
      });
    }
  }
  CHECK(cases > 200);
  CHECK(seen > 100);
}

TEST_CASE("reductions that are broadcasts backwards are checked by their image") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 8, 33, 100}) {
    for (const std::uint32_t chunks : {1, 2, 40, 129}) {
      for (const auto& [spec, collective] :
           {std::pair("circulant", reduce), std::pair("circulant", allreduce),
            std::pair("chain", reduce), std::pair("binomial-tree", reduce),
            std::pair("binomial-allreduce", allreduce), std::pair("fractional-tree:r=3", reduce),
            std::pair("circulant as reduce then circulant as broadcast", allreduce)}) {
        INFO(spec << " on " << ranks << ", " << chunks);
        const Rank root = collective == reduce ? ranks / 2 : 0;
        const Source source =
            from_algorithm(spec, Problem{collective, ranks, root, chunks, false, nullptr});
        const Machine machine = make_machine(source.machine, ranks);
        const std::string full = same_by_mirror(source, machine);
        CHECK(holds(full));
        CHECK(by_mirror(source, machine));
        const Source held = source_of_rows(source.problem, rows_of(source));
        CHECK(by_mirror(held, machine));
      }
    }
  }
}

TEST_CASE("the limit on queues is kept by the mirror image") {
  for (const std::string spec : {"circulant", "binomial-allreduce", "chain then chain"}) {
    const Source source =
        from_algorithm(spec, Problem{Collective::allreduce, 9, 0, 30, false, nullptr});
    for (const std::uint64_t limit : {0, 29, 30}) {
      CheckOptions asked;
      asked.max_buffer = limit;
      CHECK(holds(same_by_mirror(source, make_machine("duplex", 9), asked)) == (limit == 30));
    }
  }
  Random random(3);
  std::size_t long_enough = 0;
  for (int i = 0; i < part(300, 5000); ++i) {
    const Problem problem = random_problem(random);
    const Source source = source_of_rows(problem, random_reduction(problem, random));
    const Machine machine = make_machine(any_ports(problem), problem.ranks);
    CheckOptions asked;
    asked.max_buffer = random.below(problem.chunks + 1);
    long_enough += holds(same_by_mirror(source, machine, asked));
  }
  CHECK(long_enough > 50);
}

TEST_CASE("checks by the mirror image report the same for random reductions and their mutants") {
  Random random(4);
  std::size_t seen = 0, wrong = 0, queues = 0;
  for (int i = 0; i < part(2000, 60000); ++i) {
    const Problem problem = random_problem(random);
    const Rows whole = random_reduction(problem, random);
    Rows changed = whole;
    const std::uint32_t changes = random.below(3);
    for (std::uint32_t n = 0; n < changes; ++n) {
      const std::size_t at = random.below(changed.size());
      const std::size_t size = changed[at].size();
      if (size == 0) continue;
      const std::size_t place = random.below(size);
      const Transfer like = changed[at][place];
      // One of them, or its image as well, so that the halves stay images.
      const bool both = random.one_in(2);
      const std::size_t from = whole.size() - 1 - at;
      change(changed, problem, random.below(8), random, [&](std::size_t step, const Transfer& t) {
        if (t.first != like.first || (step != at && !(both && step == from))) return false;
        return (t.src == like.src && t.dst == like.dst) ||
               (both && t.src == like.dst && t.dst == like.src);
      });
    }
    CheckOptions asked;
    asked.strict = random.one_in(2);
    asked.fail_fast = random.one_in(8);
    if (random.one_in(4)) asked.checks = {random.one_in(2) ? "delivery" : "shape"};
    const Source source = source_of_rows(problem, changed);
    const std::string spec = random.one_in(2)   ? any_ports(problem)
                             : random.one_in(2) ? "duplex"
                                                : "kport:k=2";
    const Machine machine = make_machine(spec, problem.ranks);
    INFO("case " << i);
    wrong += !holds(same_by_mirror(source, machine, asked));
    const auto report = by_mirror(source, machine, asked);
    seen += report.has_value();
    queues += report && report->max_buffer > 1U;
  }
  CHECK(seen > 200);
  CHECK(wrong > 500);
  CHECK(queues > 50);
}

TEST_CASE("an allreduce whose halves are images of one another may be wrong") {
  // A chunk that comes to a rank twice in the broadcast, or not at all; a rank that sends what it
  // does not have yet; and two ranks that have different chunks complete.
  const Machine machine = make_machine("kport:k=9", 3);
  const Problem problem{Collective::allreduce, 3, 0, 2, false, nullptr};
  const Rows right{{copy(0, 1, 0, 2)}, {copy(1, 2, 0, 2)}};
  const Rows twice{{copy(0, 1, 0, 2)}, {copy(0, 2, 0, 2)}, {copy(1, 2, 0, 1)}};
  const Rows missing{{copy(0, 1, 0, 2)}, {copy(1, 2, 0, 1)}};
  const Rows early{{copy(0, 1, 0, 1), copy(1, 2, 0, 1)}, {copy(0, 1, 1), copy(0, 2, 1)}};
  const Rows roots{{copy(0, 1, 0), copy(1, 0, 1)}, {copy(0, 2, 0), copy(1, 2, 1)}};
  const auto allreduce = [&](const Rows& broadcast) {
    Rows rows = backwards(broadcast);
    rows.insert(rows.end(), broadcast.begin(), broadcast.end());
    return source_of_rows(problem, rows);
  };
  CHECK(by_mirror(allreduce(right), machine));
  for (const Rows& wrong : {twice, missing, early}) {
    CHECK_FALSE(by_mirror(allreduce(wrong), machine));
    CHECK_FALSE(holds(same_by_mirror(allreduce(wrong), machine)));
  }
  CHECK_FALSE(by_mirror(allreduce(roots), machine));
  CHECK(holds(same_by_mirror(allreduce(roots), machine)));
}

TEST_CASE("what the mirror image does not show is checked in full") {
  const Problem problem{Collective::allreduce, 8, 0, 4, false, nullptr};
  const Source source = from_algorithm("circulant", problem);
  const Machine duplex = make_machine("duplex", 8);
  CHECK(by_mirror(source, duplex));
  CheckOptions asked;
  asked.blocking = Blocking::send_first;
  CHECK_FALSE(by_mirror(source, duplex, asked));
  asked = {};
  asked.checks = {"delivery"};  // malformed transfers are not reported, and left out
  CHECK_FALSE(by_mirror(source, duplex, asked));
  for (const std::string machine :
       {"crossbar:a=2,b=4,in=1,out=4", "torus:2x4", "cluster:4x2", "fattree:cap=constant"}) {
    INFO(machine);
    CHECK_FALSE(by_mirror(source, make_machine(machine, 8)));
  }
  Source other = source;
  other.problem.ordered = true;
  CHECK_FALSE(by_mirror(other, duplex));
  other = source;
  other.problem.collective = Collective::broadcast;
  CHECK_FALSE(by_mirror(other, duplex));
}
