#pragma once

// Counting on machines with ports or with links: prices of ports and channels, or of links, that
// all chunks together cannot pay.

#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// What a message pays for its ports and for each of its channels or, on machines without ports, a
/// chunk for its link.
struct Prices {
  std::vector<std::uint64_t> send, receive;  ///< by rank
  std::vector<std::uint64_t> channels;       ///< by number in Instance::channels
  std::vector<std::uint64_t> links;          ///< by number in Instance::arcs
};

/// Prices by which the instance has too few steps, or rounds, for chunks that start at one rank and
/// are wanted by one other; none if there are none, if none are found, or on other machines than
/// those with ports on which messages take one step (takes_packets) and those with links alone.
std::optional<Prices> refuting_prices(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
