#pragma once

// A search for a broadcast without a solver: step by step, each packet with a deadline.

#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule of a broadcast with the steps of the instance, which the checker has yet to check:
/// the first of some tries, each with other random numbers, always the same. There are so many
/// tries that the flows of their steps have `arcs` arcs together, and at least one. nullptr if none
/// is found, if counting shows that there is none, or if the problem is large, not a broadcast, or
/// the machine has channels, or other than as many ports each way.
std::shared_ptr<const Schedule> by_deadlines(const Instance& instance,
                                             const std::vector<Delivery>& chunks,
                                             std::uint64_t arcs,
                                             const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
