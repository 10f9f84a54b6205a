#pragma once

// Pairs of accesses to the same cell whose order is not the same in every run.

#include <vector>

#include "program/access.hpp"
#include "program/plan/run.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

/// Two actions that access a cell, one of them to write it.
struct PlanRace {
  Node first, second;
  Cell cell;
  AccessKind first_kind, second_kind;
};

struct PlanRaces {
  std::vector<PlanRace> found;      ///< not ordered: one for each pair of operations
  std::vector<PlanRace> doubtful;   ///< ordered in time, but perhaps not in memory
  std::vector<PlanRace> by_switch;  ///< the same, as one uses the address of a switch
};

/// Runs a trace, and where several threadblocks signal, or wait for, the same matches them by the
/// order that is known.
PlanRun run_matched(PlanTrace& trace, PlanGraph& graph);

/// `order`: of a complete run.
PlanRaces find_races(const PlanTrace& trace, const PlanGraph& graph,
                     const std::vector<Node>& order);

}  // namespace schedcc::program
