// Checks by symmetry: the report is that of the check transfer by transfer, byte by byte.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/abandoned.hpp"
#include "check/symmetry/comparison.hpp"
#include "check/symmetry/symmetry.hpp"
#include "check/threading.hpp"
#include "random_plans.hpp"
#include "rows.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace agreement;
using namespace step_rows;
using ranges::part;

namespace {

using Group = Symmetry::Group;

std::string report_of(const Source& source, const Machine& machine, const CheckOptions& options,
                      bool by_symmetry) {
  try {
    return to_json(check_steps(source, machine, options, {.threads = 1, .in_full = !by_symmetry}));
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

/// The outcome, which is required to be the same with and without symmetry.
std::string same_by_symmetry(const Source& source, const Machine& machine,
                             const CheckOptions& options = {}) {
  const std::string alone = report_of(source, machine, options, false);
  CHECK(report_of(source, machine, options, true) == alone);
  return alone;
}

bool is_violated(const std::string& report) {
  return report.find("\"verdict\": \"violated\"") != std::string::npos;
}

Source source_of_case(const Case& c) {
  return from_algorithm(*c.algorithm, c.request, "algorithm");
}

/// Is it checked by symmetry?
bool seen(const std::string& spec, Collective collective, Rank ranks, std::uint32_t chunks) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.chunks = chunks;
  const Source source = from_algorithm(spec, problem);
  const Machine machine = make_machine(source.machine, ranks);
  const auto report = check_by_symmetry(source, machine, {});
  if (report) CHECK(to_json(*report) == report_of(source, machine, {}, false));
  return report.has_value();
}

Transfer image(const Symmetry& symmetry, Rank by, Transfer t) {
  t.src = symmetry.rename(by, t.src);
  t.dst = symmetry.rename(by, t.dst);
  t.first = symmetry.rename(by, Run{t.first, t.count}).first;
  return t;
}

/// A transfer of rank 0 whose images are transfers.
Transfer random_seed(const Symmetry& symmetry, bool reduces, Random& random) {
  for (;;) {
    Transfer t = copy(0, random.below(symmetry.ranks()), random.below(symmetry.chunks()),
                      1 + random.below(random.one_in(3) ? symmetry.chunks() : 2));
    t.reduce = reduces && !random.one_in(4);
    if (end(Run{t.first, t.count}) <= symmetry.chunks() && symmetry.keeps({t.first, t.count}))
      return t;
  }
}

/// All images of some transfers, in one of the two orders.
Transfers orbits(const Symmetry& symmetry, const Transfers& seeds, bool by_orbits) {
  Transfers result;
  const Rank P = symmetry.ranks();
  for (std::size_t i = 0; i < seeds.size() * P; ++i) {
    const auto by = static_cast<Rank>(by_orbits ? i % P : i / seeds.size());
    result.push_back(image(symmetry, by, seeds[by_orbits ? i / P : i % seeds.size()]));
  }
  return result;
}

/// The rows of a step's transfers of rank 0, if sender by sender.
Transfers seeds_of(const Transfers& step) {
  Transfers seeds;
  for (const Transfer& t : step) {
    if (t.src == 0) seeds.push_back(t);
  }
  return seeds;
}

/// Changes a symmetric schedule into another one: wrong in the same way at all ranks.
void change_everywhere(Rows& rows, const Symmetry& symmetry, bool reduces, Random& random) {
  const std::size_t at = random.below(rows.size());
  Transfers seeds = seeds_of(rows[at]);
  if (seeds.empty()) return;
  Transfer& seed = seeds[random.below(seeds.size())];
  switch (random.below(8)) {
    case 0:
      std::swap(rows[at], rows[random.below(rows.size())]);
      return;
    case 1:
      if (rows.size() > 1) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 2:
      rows.insert(rows.begin() + random.below(rows.size()), Transfers(rows[at]));
      return;
    case 3:
      seed.dst = symmetry.rename(1 + random.below(symmetry.ranks() - 1), seed.dst);
      break;
    case 4:
      seed.first = symmetry.rename(random.below(symmetry.ranks()), {seed.first, seed.count}).first;
      break;
    case 5:
      seeds.push_back(Transfer(seed));
      break;
    case 6:
      seeds.push_back(random_seed(symmetry, reduces, random));
      break;
    default:
      seed.reduce = reduces && seed.reduce == 0;
      break;
  }
  rows[at] = orbits(symmetry, seeds, random.one_in(2));
}

}  // namespace

TEST_CASE("checks by symmetry report the same for every algorithm") {
  std::size_t cases = 0, by_symmetry = 0;
  for (const Rank ranks : {2, 3, 4, 6, 8, 9, 16}) {
    for (const std::uint32_t chunks : {1, 2, 3, 12, 16}) {
      for_some_cases(ranks, chunks, part(2, 5), [&](const Case& c) {
        INFO(c.text());
        const Source source = source_of_case(c);
        same_by_symmetry(source, c.request.machine);
        same_by_symmetry(source, make_machine("simplex", ranks));
        by_symmetry += check_by_symmetry(source, c.request.machine, {}).has_value();
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
  CHECK(by_symmetry > 100);
}

TEST_CASE("algorithms that treat all ranks alike are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 5, 8, 12}) {
    INFO(ranks);
    CHECK(seen("ring", allgather, ranks, 2));
    CHECK(seen("ring", reduce_scatter, ranks, 2));
    CHECK(seen("ring", allreduce, ranks, 2 * ranks));
    CHECK(seen("pairwise", alltoall, ranks, 2));
    CHECK(seen("bruck", alltoall, ranks, 2));
    CHECK(seen("circulant", allgather, ranks, 3));
    CHECK(seen("circulant", reduce_scatter, ranks, 3));
  }
  for (const Rank ranks : {2, 8, 32}) {
    INFO(ranks);
    CHECK(seen("recursive-doubling", allgather, ranks, 3));
    CHECK(seen("recursive-doubling", allreduce, ranks, 3));
  }
}

TEST_CASE("rings along the rows and columns of a torus are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 4, 6, 9, 12, 30, 64, 260}) {
    INFO(ranks);
    for (const std::uint32_t chunks : {1, 3}) {
      CHECK(seen("bucket", allgather, ranks, chunks));
      CHECK(seen("bucket", reduce_scatter, ranks, chunks));
    }
    CHECK(seen("bucket", allreduce, ranks, 2 * ranks));
  }
  CHECK_FALSE(seen("bucket", allreduce, 12, 3));  // some ranks have no block
}

TEST_CASE("checks of steps on a torus by symmetry report the same") {
  // Rank 0 sends some chunks, others the same after a translation; the schedule may be changed at
  // one rank, and edges may carry too much.
  Random random(12);
  using enum Collective;
  std::size_t by_symmetry = 0, wrong = 0, overloaded = 0;
  for (int i = 0; i < part(1500, 40000); ++i) {
    const Rank rows = 1 + random.below(4), columns = (rows == 1 ? 2 : 1) + random.below(4);
    const Rank ranks = rows * columns;
    Problem problem;
    problem.collective = random.pick(std::vector{allgather, reduce_scatter, allreduce, barrier});
    problem.ranks = ranks;
    problem.chunks = random.one_in(2) ? ranks : 1 + random.below(2);
    const bool cut = problem.collective == allreduce && problem.chunks == ranks;
    const bool blocks = info(problem.collective).blocks == 1 || cut;
    if (problem.collective != allreduce) problem.chunks = 1 + random.below(2);
    const Symmetry symmetry(Group::translations, ranks, blocks ? 1 : 0, cut ? 1 : problem.chunks,
                            columns);
    Rows steps;
    for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
      Transfers seeds;
      for (std::uint32_t m = 1 + random.below(3); m > 0; --m)
        seeds.push_back(random_seed(symmetry, problem.reduction(), random));
      steps.push_back(orbits(symmetry, seeds, random.one_in(2)));
    }
    if (random.one_in(5)) steps.front().pop_back();
    const Machine machine = make_machine(
        fmt::format("torus:{}x{},congestion={},ports=4", rows, columns, 1 + random.below(2)),
        ranks);
    CheckOptions asked;
    if (random.one_in(2)) asked.checks = {"shape", "ports", "links"};
    const Source source = source_of_rows(problem, steps);
    const std::string report = same_by_symmetry(source, machine, asked);
    wrong += is_violated(report);
    overloaded += report.find("carries at least") != std::string::npos;
    by_symmetry += check_by_symmetry(source, machine, asked).has_value();
  }
  CHECK(by_symmetry > 50);
  CHECK(wrong > 500);
  CHECK(overloaded > 100);
}

TEST_CASE("exchanges ahead of even ranks and behind odd ones are checked by reflections") {
  using enum Collective;
  Random random(8);
  std::size_t wrong = 0;
  for (const Rank ranks : {4, 6, 8, 10, 12, 22}) {
    for (const char* spec : {"bine", "swing"}) {
      for (const Collective collective : {allgather, reduce_scatter, allreduce, alltoall}) {
        if (collective == alltoall && spec != std::string("bine")) continue;
        INFO(spec << ", " << info(collective).name << ", " << ranks << " ranks");
        CHECK(seen(spec, collective, ranks, collective == allreduce ? 2 * ranks : 2));
        const Problem problem{collective, ranks, 0, collective == allreduce ? ranks : 1};
        const Source source = from_algorithm(spec, problem);
        const unsigned blocks = collective == alltoall ? 2 : 1;
        const Symmetry symmetry(Group::reflections, ranks, blocks, 1);
        for (int i = 0; i < part(5, 50) && ranks < 12; ++i) {
          Rows rows = rows_of(source);
          change_everywhere(rows, symmetry, problem.reduction(), random);
          const Machine machine = make_machine(random.one_in(3) ? "kport:k=2" : "duplex", ranks);
          wrong += is_violated(same_by_symmetry(source_of_rows(problem, rows), machine));
        }
      }
    }
  }
  CHECK(wrong > 50);
}

TEST_CASE("total exchanges on fat trees are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 4, 16, 64, 256}) {
    for (const std::uint32_t chunks : {1, 3}) {
      INFO(ranks << ", " << chunks);
      CHECK(seen("xor", alltoall, ranks, chunks));
    }
  }
}

TEST_CASE("checks of exchanges on trees by symmetry report the same") {
  // Rank 0 sends each block in a random step, most of them to the rank that they are for, and all
  // others do the same; then the schedule is changed, at all ranks or at one.
  Random random(11);
  std::size_t by_symmetry = 0, wrong = 0;
  for (int i = 0; i < part(400, 10000); ++i) {
    const Rank ranks = Rank{2} << random.below(4);
    const std::uint32_t K = 1 + random.below(2);
    const Problem problem{Collective::alltoall, ranks, 0, K, false, nullptr};
    const Symmetry symmetry(Group::exclusive_ors, ranks, 2, K);
    const Machine machine =
        make_machine(random.one_in(4) ? "fattree:cap=constant" : "fattree:cap=exponential", ranks);
    std::vector<Transfers> seeds(2 + random.below(6 * ranks));
    for (Rank d = 1; d < ranks; ++d) {
      for (std::uint32_t j = 0; j < K; ++j) {
        Transfer t = copy(0, d, d * K + j);
        if (random.one_in(100)) t.dst = 1 + random.below(ranks - 1);
        if (random.one_in(100)) t.first = random.below(ranks * ranks * K);
        seeds[random.below(seeds.size())].push_back(t);
        if (random.one_in(100)) seeds[random.below(seeds.size())].push_back(t);
      }
    }
    Rows rows;
    for (const Transfers& step : seeds) rows.push_back(orbits(symmetry, step, random.one_in(2)));
    if (random.one_in(4)) {
      Transfers& step = rows[random.below(rows.size())];
      if (!step.empty()) step.pop_back();
    }
    CheckOptions asked;
    if (random.one_in(3)) asked.max_buffer = 0;
    if (random.one_in(3)) asked.checks = {"shape", "causality", "delivery"};
    const Source source = source_of_rows(problem, rows);
    wrong += is_violated(same_by_symmetry(source, machine, asked));
    by_symmetry += check_by_symmetry(source, machine, asked).has_value();
  }
  CHECK(by_symmetry > 50);
  CHECK(wrong > 50);
}

TEST_CASE("schedules and machines that are not symmetric are not checked by symmetry") {
  using enum Collective;
  CHECK_FALSE(seen("circulant", broadcast, 8, 4));
  CHECK_FALSE(seen("circulant", allreduce, 8, 8));
  CHECK_FALSE(seen("ring", allreduce, 8, 9));
  const Problem problem{alltoall, 8, 0, 1, false, nullptr};
  const Source source = from_algorithm("pairwise", problem);
  for (const char* machine :
       {"crossbar:a=2,b=4", "mesh:2x4", "fattree:cap=constant", "logp:L=6,o=2,g=4", "cluster:2x4"})
    CHECK_FALSE(check_by_symmetry(source, make_machine(machine, 8), {}));
  CHECK_FALSE(check_by_symmetry(source, {}, {.blocking = Blocking::send_first}));
  CHECK_FALSE(check_by_symmetry(source, {}, {.checks = {{"ports"}}}));
}

TEST_CASE("checks by symmetry report the same for mutants") {
  Random random(3);
  std::size_t wrong = 0;
  for (const Rank ranks : {2, 4, 5, 8}) {
    for_some_cases(ranks, ranks, 1, [&](const Case& c) {
      const naive::Plan whole = plan(c);
      for (int i = 0; i < part(3, 12) && !whole.sent.empty(); ++i) {
        naive::Options options;
        if (random.one_in(3)) options.max_buffer = random.below(4);
        CheckOptions asked = library_options(options);
        asked.strict = random.one_in(2);
        asked.fail_fast = random.one_in(5);
        INFO(c.text());
        wrong += is_violated(
            same_by_symmetry(source_of(mutant(whole, random)), c.request.machine, asked));
      }
    });
  }
  CHECK(wrong > 100);
}

TEST_CASE("checks by symmetry report the same for schedules that all ranks have wrong") {
  Random random(5);
  std::size_t wrong = 0, right = 0;
  for (const Rank ranks : {2, 3, 4, 6, 8}) {
    for_some_cases(ranks, 2 * ranks, 2, [&](const Case& c) {
      const Source source = source_of_case(c);
      const auto symmetries = likely_symmetries(source, c.request.machine, {});
      if (symmetries.empty()) return;
      const bool reduces = source.problem.reduction();
      const Rows rows = rows_of(source);
      for (int i = 0; i < part(30, 300); ++i) {
        Rows changed = rows;
        const Symmetry& symmetry = random.pick(symmetries);
        for (int n = 0; n < 1 + random.one_in(3); ++n)
          change_everywhere(changed, symmetry, reduces, random);
        CheckOptions asked;
        asked.strict = random.one_in(3);
        if (random.one_in(3)) asked.max_buffer = random.below(4);
        const Machine machine =
            random.one_in(3) ? make_machine("kport:k=2", ranks) : c.request.machine;
        INFO(c.text());
        const Source made = source_of_rows(source.problem, changed);
        wrong += is_violated(same_by_symmetry(made, machine, asked));
        right += check_by_symmetry(made, machine, asked).has_value();
      }
    });
  }
  CHECK(wrong > 500);
  CHECK(right > 100);
}

TEST_CASE("checks by symmetry report the same for random schedules") {
  Random random(6);
  using enum Collective;
  std::size_t right = 0;
  for (int i = 0; i < part(3000, 100000); ++i) {
    Problem problem;
    problem.collective =
        random.pick(std::vector{allgather, reduce_scatter, allreduce, alltoall, barrier});
    problem.ranks = random.one_in(4) ? 6 : 2 + random.below(3);
    problem.chunks = 1 + random.below(2) * (problem.ranks - 1);
    const int blocks = info(problem.collective).blocks;
    const bool power = power_of_two(problem.ranks);
    const Group turns = problem.ranks % 2 == 0 && problem.ranks > 2 && random.one_in(2)
                            ? Group::reflections
                            : Group::rotations;
    const Symmetry symmetry(
        power && random.one_in(2) ? Group::exclusive_ors : turns, problem.ranks,
        blocks == 0 && problem.chunks == problem.ranks && random.one_in(2) ? 1U : unsigned(blocks),
        blocks == 0 && problem.chunks == problem.ranks ? 1 : problem.chunks);
    Rows rows;
    for (std::uint32_t n = 1 + random.below(4); n > 0; --n) {
      Transfers seeds;
      for (std::uint32_t m = 1 + random.below(3); m > 0; --m)
        seeds.push_back(random_seed(symmetry, problem.reduction(), random));
      rows.push_back(orbits(symmetry, seeds, random.one_in(2)));
    }
    const Source source = source_of_rows(problem, rows);
    const Machine machine = make_machine(
        random.pick(std::vector<std::string>{"duplex", "kport:k=3", "simplex"}), problem.ranks);
    same_by_symmetry(source, machine);
    right += check_by_symmetry(source, machine, {}).has_value();
  }
  CHECK(right > 5);
}

TEST_CASE("several threads compare the rows of a schedule, by parts or as a whole") {
  for (const Rank ranks : {4, 6, 8, 64}) {
    for_some_cases(ranks, ranks, 1, [&](const Case& c) {
      const Source source = source_of_case(c);
      const auto symmetries = likely_symmetries(source, c.request.machine, {});
      if (symmetries.empty()) return;
      INFO(c.text());
      const Rows rows = rows_of(source);
      const auto made = source.open()->rows();
      const auto held = source_of_rows(source.problem, rows).open()->rows();
      for (const Symmetry& symmetry : symmetries) {
        std::vector<Transfers> expected;
        bool symmetric = true;
        for (const Transfers& step : rows) {
          Orbits orbits(symmetry);
          symmetric = symmetric && orbits.read(step);
          if (symmetric && !step.empty()) expected.push_back(orbits.of_rank_zero());
        }
        for (const std::size_t threads : {1, 3}) {
          for (const auto& steps : {made, held}) {
            REQUIRE(steps);
            if (!symmetric) {
              CHECK_THROWS_AS(Comparison(*steps, symmetry).run(threads, {}), Abandoned);
              continue;
            }
            const auto schedule = Comparison(*steps, symmetry).run(threads, {});
            std::vector<Transfers> found;
            for (std::uint64_t row = 0; row < schedule->size(); ++row) {
              const auto transfers = (*schedule)[row].transfers;
              if (!transfers.empty()) found.emplace_back(transfers.begin(), transfers.end());
            }
            CHECK(found == expected);
          }
        }
      }
    });
  }
}

TEST_CASE("a transfer that differs in any part of a long row is found") {
  const Problem problem{Collective::alltoall, 300, 0, 1, false, nullptr};
  for (const char* spec : {"pairwise", "bruck", "pairwise:ports=7"}) {
    const Source source = from_algorithm(spec, problem);
    const Machine machine = make_machine(source.machine, 300);
    const Rows rows = rows_of(source);
    CHECK(check_by_symmetry(source_of_rows(problem, rows), machine, {}, 2));
    Random random(7);
    for (int i = 0; i < part(20, 200); ++i) {
      Rows changed = rows;
      Transfers& step = changed[random.below(changed.size())];
      Transfer& t = step[random.below(step.size())];
      switch (random.below(4)) {
        case 0:
          t.dst = (t.dst + 1) % 300;
          break;
        case 1:
          t.first = (t.first + 1) % 90000;
          break;
        case 2:
          t.reduce = 1;
          break;
        default:
          std::swap(t, step[random.below(step.size())]);
          if (step == rows[static_cast<std::size_t>(&step - changed.data())]) continue;
      }
      CHECK_FALSE(check_by_symmetry(source_of_rows(problem, changed), machine, {}, 2));
    }
  }
}
