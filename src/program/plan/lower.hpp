#pragma once

// From a schedule to an execution plan.

#include <cstdint>

#include "schedcc/machine.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/program.hpp"
#include "schedcc/source.hpp"

namespace schedcc::program {

struct PlanLoweringOptions {
  Calls calls = Calls::out_of_place;  ///< not `both`
  bool packets = false;               ///< LL, or else Simple
  std::uint32_t lanes = 1;            ///< threadblocks that share every operation
};

/// Throws InputError for problems that no plan can solve.
void refuse_plan(const Source& source, const PlanLoweringOptions& options);
/// The plan that executes the schedule, with the latencies of the machine. Throws InputError if
/// there is none within the limits of the runtime, and for steps that are not well-formed.
Plan lower_plan(const Source& source, const Machine& machine, const PlanLoweringOptions& options);

}  // namespace schedcc::program
