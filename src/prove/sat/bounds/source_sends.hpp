#pragma once

// Counting on machines with ports: how far the messages of a source can spread its chunks.

#include <vector>

#include "prove/sat/question/instance.hpp"

namespace schedcc::prover {

/// Machines with ports: the ranks whose messages in the steps of the instance cannot bring the
/// chunks that start at them alone to all their goals. If there are any, there is no schedule.
std::vector<Rank> overtaxed_sources(const Instance& instance, const std::vector<Delivery>& chunks);

}  // namespace schedcc::prover
