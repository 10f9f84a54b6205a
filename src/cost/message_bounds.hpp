#pragma once

#include <cstdint>

#include "cost/search_memory.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// LogP and LogGP: a lower bound on the time of any schedule in which no message has more than
/// `width` chunks; 0: unknown. `bytes` are those of the message, or of a block, which is cut into
/// `problem.chunks` chunks.
double message_bound(const Problem& problem, const Machine& machine, const CostModel& model,
                     std::uint64_t bytes, std::uint64_t width, SearchMemory& memory);

}  // namespace schedcc
