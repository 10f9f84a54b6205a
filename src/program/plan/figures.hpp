#pragma once

// The length of a plan and its traffic.

#include <cstdint>

#include "program/plan/run.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

/// The figures of the first invocation.
struct PlanFigures {
  std::uint64_t steps = 0;     ///< the most edges between GPUs, one after the other
  std::uint64_t messages = 0;  ///< actions that access other GPUs
  std::uint64_t volume = 0;    ///< chunks, rounded up, that the busiest GPU sends
};

/// `run`: of the trace, perhaps not complete. Time and memory: linear.
PlanFigures figures_of(const PlanTrace& trace, const PlanGraph& graph, const PlanRun& run);

}  // namespace schedcc::program
