#pragma once

// The step that is worth most, where every message has a price.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"

namespace schedcc::prover {

/// A step, and the sum of the prices of its messages.
struct PricedStep {
  std::uint64_t worth = 0;
  std::vector<std::size_t> arcs;  ///< with a message
};

/// The step that is worth most of those that ports and channels allow, on machines whose ranks send
/// and receive independently (takes_packets); `price` is that of a message on each arc. No value if
/// it takes more than `effort`, which is reduced by what it takes.
std::optional<PricedStep> best_step(const Instance& instance,
                                    const std::vector<std::uint64_t>& price, std::uint64_t& effort);

}  // namespace schedcc::prover
