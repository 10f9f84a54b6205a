#pragma once

// Pairs of accesses to the same cell whose order is not the same in every run.

#include <cstdint>
#include <vector>

#include "program/plan/run.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

/// Two actions that access a cell, one of them to write it.
struct PlanRace {
  Node first, second;
  Cell cell;
  bool first_writes, second_writes;
};

struct PlanRaces {
  std::vector<PlanRace> found;      ///< not ordered: one for each pair of operations
  std::vector<PlanRace> doubtful;   ///< ordered in time, but perhaps not in memory
  std::vector<PlanRace> by_switch;  ///< the same, as one uses the address of a switch
};

/// Matches signals and waits of several threadblocks, with the order that is known from the others.
/// `order`: of a complete run. Has the trace got more edges?
bool match_ordered_counters(PlanTrace& trace, const PlanGraph& graph,
                            const std::vector<Node>& order);

/// `order`: of a complete run.
PlanRaces find_races(const PlanTrace& trace, const PlanGraph& graph,
                     const std::vector<Node>& order);

}  // namespace schedcc::program
