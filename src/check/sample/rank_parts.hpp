#pragma once

// What a rank sends or receives in one step, by the kernel.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithm/local.hpp"

namespace schedcc {

/// Thrown where a rank has more transfers in a step than a sample reads.
struct TooManyParts {};

enum class Direction : std::uint8_t { sends, receives };

/// The transfers of a rank in a step in one direction, by peer and then by chunk; runs that touch
/// are one.
class RankParts {
 public:
  static constexpr std::size_t most = std::size_t{1} << 12;  ///< transfers that are read

  RankParts() = default;
  /// Throws TooManyParts.
  RankParts(const LocalRankSchedule& rank, std::uint64_t step, Direction direction);

  std::span<const local::RankTransfer> all() const { return parts_; }
  /// Those to or from a peer, which are one message.
  std::span<const local::RankTransfer> with(std::uint64_t peer) const;
  /// One span for each peer.
  std::vector<std::span<const local::RankTransfer>> messages() const;

 private:
  std::vector<local::RankTransfer> parts_;
};

/// Which transfers are asked for.
enum class Parts : std::uint8_t { all, copies, combined };

/// Is the chunk among what a rank sends, or receives, in the step? Throws TooManyParts.
bool handles(const LocalRankSchedule& rank, std::uint64_t step, Direction direction,
             std::uint64_t chunk, Parts which = Parts::all);

/// The number of chunks of a message.
std::uint64_t chunks_of(std::span<const local::RankTransfer> message);

/// "chunk 3", "chunks 4-7 (combined) and more"; "nothing" for none.
std::string describe(std::span<const local::RankTransfer> message);

}  // namespace schedcc
