// Direct exchanges on trees, checked without their hops: the report is that of the check hop by
// hop, byte by byte.

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "check/threading.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "rows.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"

using namespace agreement;
using namespace step_rows;
using ranges::part;

namespace {

struct ComparedHops {
  bool directly, violated;
};

/// Compares the reports with and without hops.
ComparedHops compare_hops(const Source& source, const Machine& machine,
                          const CheckOptions& options = {}, const Threading& threading = {}) {
  const std::string in_full =
      to_json(check_steps(source, machine, options, {.threads = 1, .in_full = true}));
  const auto report = check_directly(source, machine, options, threading);
  if (report) CHECK(to_json(*report) == in_full);
  CHECK(to_json(check_steps(source, machine, options, threading)) == in_full);
  return {report.has_value(), in_full.find(R"("verdict": "violated")") != std::string::npos};
}

Problem exchange_problem(Rank ranks, std::uint32_t chunks) {
  Problem problem;
  problem.collective = Collective::alltoall;
  problem.ranks = ranks;
  problem.chunks = chunks;
  return problem;
}

std::string random_tree(Rank ranks, Random& random) {
  std::string result = "fattree:cap=";
  for (Rank below = 1; below < ranks; below *= 2)
    result += (below > 1 ? "," : "") + std::to_string(1 + random.below(2 * below + 1));
  return result;
}

/// Each chunk in a random step, some of them in runs.
Rows random_exchange(Rank ranks, std::uint32_t K, std::size_t steps, Random& random) {
  Rows rows(steps);
  for (Rank src = 0; src < ranks; ++src) {
    for (Rank dst = 0; dst < ranks; ++dst) {
      for (std::uint32_t j = 0; src != dst && j < K;) {
        const std::uint32_t count = random.one_in(4) ? 1 + random.below(K - j) : 1;
        rows[random.below(rows.size())].push_back(
            copy(src, dst, (src * ranks + dst) * K + j, count));
        j += count;
      }
    }
  }
  return rows;
}

/// Moves, drops, repeats or changes a transfer.
void change_exchange(Rows& rows, const Problem& problem, Random& random) {
  Transfers& step = rows[random.below(rows.size())];
  if (step.empty()) return;
  const std::size_t i = random.below(step.size());
  Transfer t = step[i];
  switch (random.below(6)) {
    case 0:
      step.pop_back();
      return;
    case 1:
      t.dst = random.below(problem.ranks);
      break;
    case 2:
      t.first = random.below(static_cast<std::uint32_t>(problem.total_chunks()));
      break;
    case 3:
      break;
    default:
      step.erase(step.begin() + static_cast<std::ptrdiff_t>(i));
  }
  rows[random.below(rows.size())].push_back(t);
}

}  // namespace

TEST_CASE("exchanges on trees are checked without their hops") {
  for (const Rank ranks : {2, 4, 8, 32, 64}) {
    for (const std::uint32_t chunks : {1, 2, 3}) {
      for (const char* schedule : {"scatters", "paired", "phases", "pipelined", "coloured"}) {
        INFO(schedule << ", " << ranks << ", " << chunks);
        const Source source = from_algorithm(std::string("total-exchange:schedule=") + schedule,
                                             exchange_problem(ranks, chunks));
        const ComparedHops found =
            compare_hops(source, make_machine("fattree:cap=constant", ranks));
        CHECK(found.directly);
        CHECK_FALSE(found.violated);
      }
    }
  }
}

TEST_CASE("checks without hops report the same for schedules with an error") {
  Random random(1);
  std::size_t directly = 0, violated = 0;
  for (const Rank ranks : {2, 4, 8, 16}) {
    for (const std::uint32_t chunks : {1, 2}) {
      for (const char* schedule : {"paired", "pipelined", "coloured"}) {
        const Problem problem = exchange_problem(ranks, chunks);
        const Rows rows =
            rows_of(from_algorithm(std::string("total-exchange:schedule=") + schedule, problem));
        for (int i = 0; i < part(20, 400); ++i) {
          Rows changed = rows;
          changed.resize(rows.size() + random.below(2));
          change_exchange(changed, problem, random);
          const ComparedHops found = compare_hops(source_of_rows(problem, changed),
                                                  make_machine("fattree:cap=constant", ranks));
          directly += found.directly;
          violated += found.violated;
        }
      }
    }
  }
  CHECK(directly > 20);
  CHECK(violated > 200);
}

TEST_CASE("checks without hops report the same for random exchanges on random trees") {
  Random random(2);
  std::size_t directly = 0, violated = 0;
  for (int i = 0; i < part(600, 20000); ++i) {
    const Rank ranks = Rank{2} << random.below(4);
    const Problem problem = exchange_problem(ranks, 1 + random.below(4));
    Rows rows = random_exchange(ranks, problem.chunks, 1 + random.below(8 * ranks * ranks), random);
    if (random.one_in(3)) change_exchange(rows, problem, random);
    CheckOptions asked;
    if (random.one_in(3)) asked.max_buffer = 0;
    if (random.one_in(4)) asked.checks = {"shape", "links", "causality"};
    if (random.one_in(4)) asked.checks = {"links", "delivery"};
    if (random.one_in(4)) asked.blocking = Blocking::send_first;
    asked.strict = random.one_in(2);
    const Threading threading{.threads = 1 + random.below(2), .alone = 0, .block = 4};
    const ComparedHops found =
        compare_hops(source_of_rows(problem, rows), make_machine(random_tree(ranks, random), ranks),
                     asked, threading);
    directly += found.directly;
    violated += found.violated;
    if (found.directly) CHECK_FALSE(found.violated);
  }
  CHECK(directly > 100);
  CHECK(violated > 100);
}

TEST_CASE("a full branch may carry no chunk more, upwards or downwards") {
  // Ranks 0 and 1 send to 2 and 3, over the branches of level 2; first in one step, then so
  // that only their last steps are the same.
  const Problem problem = exchange_problem(4, 1);
  for (const std::uint64_t capacity : {1, 2}) {
    const Machine machine = make_machine("fattree:cap=2," + std::to_string(capacity), 4);
    const CheckOptions asked{.checks = {{"shape", "links"}}};
    const Transfer first = copy(0, 2, 2), other = copy(1, 3, 7);
    CHECK(compare_hops(source_of_rows(problem, {{first, other}}), machine, asked).violated ==
          (capacity == 1));
    CHECK_FALSE(compare_hops(source_of_rows(problem, {{first}, {other}}), machine, asked).violated);
    // From the sibling, two steps later.
    const Machine narrow = make_machine("fattree:cap=1," + std::to_string(capacity), 4);
    const Transfer near = copy(3, 2, 14);
    CHECK(compare_hops(source_of_rows(problem, {{first}, {}, {near}}), narrow, asked).violated);
    CHECK_FALSE(compare_hops(source_of_rows(problem, {{first}, {near}}), narrow, asked).violated);
  }
}

TEST_CASE("other schedules are not checked as direct exchanges") {
  const Problem problem = exchange_problem(8, 1);
  const Machine tree = make_machine("fattree:cap=exponential", 8);
  CHECK_FALSE(check_directly(from_algorithm("bruck", problem), tree, {}));
  CHECK_FALSE(check_directly(from_algorithm("pairwise", problem), {}, {}));
  const Source source = from_algorithm("xor", problem);
  CHECK(check_directly(source, tree, {}));
  CHECK_FALSE(check_directly(source, tree, {.checks = {{"delivery"}}}));
  Problem gather = problem;
  gather.collective = Collective::allgather;
  CHECK_FALSE(check_directly(from_algorithm("ring", gather), tree, {}));
}
