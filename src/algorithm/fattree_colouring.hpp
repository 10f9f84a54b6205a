#pragma once

// Total exchange on fat trees of any capacities: the transfers coloured with steps.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The sustained capacities of the branches of levels 1, 2, ...: c_i, or twice that of the level
/// below, if that is less. Below 2^33.
std::vector<std::uint64_t> sustained(std::span<const std::uint64_t> c);

/// When the packets of a total exchange leave their sources, so that no packet ever waits and no
/// branch carries more than its capacity. The tree has 2^h leaves, `c` its h sustained capacities;
/// K packets go from each leaf to each other one, but where `lowest` is above 1 only between leaves
/// whose lowest common ancestor is at that level at least. Chunks are numbered as among `n` ranks.
Schedule colour_exchange(std::span<const std::uint64_t> c, std::uint32_t K, Rank n,
                         std::uint32_t lowest = 1);

/// When a packet for each pair of leaves leaves, and after how many steps the next one does.
struct PeriodicColouring {
  std::uint64_t period;
  std::shared_ptr<const Schedule> packets;  ///< with chunks numbered as for K = 1
};

/// The same for K packets for each pair, one in each period, if that takes no more steps than the
/// least that the branches allow. The last colouring is kept for other K, unless it is large.
std::optional<PeriodicColouring> colour_periodically(std::span<const std::uint64_t> c,
                                                     std::uint32_t K);

/// A bound on the steps of all of them (`lowest` = 1), measured and not proved: the latency 2h,
/// after the largest of the bounds ceil(2^(i-1) (n - 2^(i-1)) K / c_i) + 2i - 1.
std::uint64_t colour_steps(std::span<const std::uint64_t> c, std::uint32_t K);

}  // namespace schedcc
