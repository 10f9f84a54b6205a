#pragma once

#include <cstdint>
#include <vector>

#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Model `levels`: lower bounds from what must pass between the groups of a level, for the level of
/// which that is the most. None for custom problems. `bytes` are those of the message, or of a
/// block.
std::vector<TimeBound> level_bounds(const Problem& problem, const Machine& machine,
                                    const CostModel& model, std::uint64_t bytes);

}  // namespace schedcc
