#pragma once

#include <cstdint>

#include "cost/search_memory.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// LogP and LogGP: a lower bound on the time of any schedule of which the claim's width, busiest
/// rank and hops hold, as far as it has them. `bytes` are those of the message, or of a block,
/// which is cut into `problem.chunks` chunks.
double message_bound(const Problem& problem, const Machine& machine, const CostModel& model,
                     std::uint64_t bytes, const CostClaim& claim, SearchMemory& memory);

}  // namespace schedcc
