// Checks of schedules that move one block after another by the first block: the report is that of
// the check of all transfers, byte by byte.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "excerpts.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"

using namespace excerpts;
using ranges::part;

namespace {

/// A broadcast of each block in turn along a random tree, in steps of at most `most` sends, or
/// reversed a reduction of each. Between steps some are idle.
Rows in_turn(const Problem& problem, std::uint32_t most, Random& random) {
  const Rank P = problem.ranks;
  const bool reduces = problem.collective == Collective::reduce_scatter;
  std::vector<std::vector<std::pair<Rank, Rank>>> rows;
  std::vector<Rank> holders{0};
  for (Rank next = 1; next < P;) {
    auto& row = rows.emplace_back();
    const Rank before = next;
    for (std::uint32_t n = 1 + random.below(most); n > 0 && next < P; --n, ++next)
      row.emplace_back(holders[random.below(before)], next);
    for (Rank rank = before; rank < next; ++rank) holders.push_back(rank);
  }
  if (reduces) std::ranges::reverse(rows);
  const std::uint32_t gap = 1 + random.below(2);
  Rows steps;
  for (Rank b = 0; b < P; ++b) {
    for (const auto& row : rows) {
      steps.resize(steps.size() + gap);
      const std::size_t turn = random.below(static_cast<std::uint32_t>(row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto [from, to] = row[(i + turn) % row.size()];
        const Rank src = (from + b) % P, dst = (to + b) % P;
        steps.back().push_back({reduces ? dst : src, reduces ? src : dst, b * problem.chunks,
                                problem.chunks & max_transfer_count, reduces});
      }
    }
  }
  return steps;
}

}  // namespace

TEST_CASE("blocks through a switch are checked by the first one") {
  for (Rank ranks = 2; ranks < 24; ++ranks) {
    for (const std::uint32_t chunks : {1, 3}) {
      for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
        INFO(info(collective).name << " of " << ranks << ", " << chunks);
        const Problem problem{collective, ranks, 0, chunks, false, nullptr};
        const Source source = from_algorithm("in-network", problem);
        const Machine machine = make_machine("switch", ranks);
        CHECK(holds(same_by_excerpt(source, machine)));
        CHECK(by_excerpt(source, machine));
      }
    }
  }
}

TEST_CASE("checks by the first block report the same for random schedules") {
  Random random(29);
  std::size_t seen = 0, right = 0, queues = 0;
  for (int i = 0; i < part(400, 8000); ++i) {
    const Rank ranks = 2 + random.below(7);
    const std::uint32_t most = 1 + random.below(4), chunks = 1 + random.below(3);
    const Problem problem{random.one_in(2) ? Collective::allgather : Collective::reduce_scatter,
                          ranks,
                          0,
                          chunks,
                          false,
                          nullptr};
    Rows steps = in_turn(problem, most, random);
    if (random.one_in(2)) {
      // One change of a transfer, or the same of many, such as those of all blocks.
      const std::size_t at = random.below(static_cast<std::uint32_t>(steps.size()));
      const bool all = random.one_in(2);
      const Rank dst = random.below(ranks);
      change(steps, problem, random.below(7), random, [&](std::size_t step, const Transfer& t) {
        return all ? (t.dst + ranks - t.first / chunks) % ranks == dst : step == at;
      });
    }
    const Source source = source_of_rows(problem, steps);
    const char* const machines[] = {"switch",    "switch:ports=3", "duplex",
                                    "kport:k=4", "kport:k=2",      "crossbar:a=1,b=8,in=1,out=1"};
    const std::string spec = machines[random.below(ranks == 8 ? 6 : 5)];
    const Machine machine = make_machine(spec, ranks);
    CheckOptions asked;
    if (random.one_in(4)) asked.max_buffer = random.below(3);
    INFO(i << ": " << spec);
    right += holds(same_by_excerpt(source, machine, asked));
    const auto report = by_excerpt(source, machine, asked);
    seen += report.has_value();
    queues += report && report->max_buffer > 0;
  }
  CHECK(seen > 50);
  CHECK(right > seen);
  CHECK(queues > 20);
}
