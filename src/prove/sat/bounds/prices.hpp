#pragma once

// Counting on machines with ports: prices of ports and channels that all chunks together cannot
// pay.

#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// What a message pays for its ports and for each of its channels.
struct Prices {
  std::vector<std::uint64_t> send, receive;  ///< by rank
  std::vector<std::uint64_t> channels;       ///< by number in Instance::channels
};

/// Prices by which the instance has too few steps for chunks that start at one rank and are wanted
/// by one other; none if there are none, if none are found, or on other machines than those with
/// ports (takes_packets).
std::optional<Prices> refuting_prices(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
