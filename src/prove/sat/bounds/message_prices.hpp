#pragma once

// Counting on small machines with channels: prices of messages that all chunks together cannot pay.

#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// What a message on each arc costs.
struct MessagePrices {
  std::vector<std::uint64_t> of_arc;
};

/// Prices by which the instance has too few steps for chunks that start at one rank and are wanted
/// by one other; none if there are none, if none are found soon, or on other machines than small
/// ones with ports (takes_packets) and channels.
std::optional<MessagePrices> refuting_message_prices(const Instance& instance,
                                                     const std::vector<Delivery>& chunks,
                                                     const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
