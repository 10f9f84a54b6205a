#pragma once

// Schedules for BFT's claims: one that the paper prints, and a counterexample to a claim.

#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace bft {

/// The hops of a step: source, destination and chunk.
using Hops = std::set<std::tuple<schedcc::Rank, schedcc::Rank, schedcc::Chunk>>;

/// Figure 3, multinode broadcasting on four leaves, by steps.
inline std::vector<Hops> figure_3() {
  return {
      {{0, 4, 0}, {1, 4, 1}, {2, 5, 2}, {3, 5, 3}},
      {{4, 0, 1}, {4, 1, 0}, {4, 6, 0}, {5, 2, 3}, {5, 3, 2}, {5, 6, 2}},
      {{4, 6, 1}, {5, 6, 3}, {6, 4, 2}, {6, 5, 0}},
      {{4, 0, 2}, {4, 1, 2}, {5, 2, 0}, {5, 3, 0}, {6, 4, 3}, {6, 5, 1}},
      {{4, 0, 3}, {4, 1, 3}, {5, 2, 1}, {5, 3, 1}},
  };
}

/// A scatter to four leaves with branches of capacity 2, which takes less than n + 1 steps.
inline schedcc::Source scatter_over_two_links() {
  schedcc::Problem problem;
  problem.collective = schedcc::Collective::scatter;
  problem.ranks = 4;
  auto schedule = std::make_shared<schedcc::Schedule>();
  schedule->begin_step(0);
  schedule->add(schedcc::copy(0, 2, 2));
  schedule->add(schedcc::copy(0, 3, 3));
  schedule->begin_step(1);
  schedule->add(schedcc::copy(0, 1, 1));
  return schedcc::from_schedule(problem, schedule);
}

}  // namespace bft
