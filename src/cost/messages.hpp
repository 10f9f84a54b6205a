#pragma once

// The messages of a step, with their sizes in bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/digest.hpp"
#include "analysis/switch_groups.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Throws InputError: sizes exceed 2^64 bytes.
[[noreturn]] void refuse_size();
/// Adds a size several times to a sum; throws InputError if that exceeds 2^64.
void add_bytes(std::uint64_t& sum, std::uint64_t bytes, std::uint64_t times = 1);

/// The sizes of K chunks of a message of `bytes` bytes; they differ by at most one.
/// Chunk c begins at byte floor(c bytes / K), also for numbers that continue through blocks.
class ChunkBytes {
 public:
  ChunkBytes(std::uint64_t bytes, std::uint64_t K)
      : quotient_(bytes / K), rest_(bytes % K), K_(K) {}

  /// Do all chunks have the same size?
  bool equal() const { return rest_ == 0; }

  std::uint64_t bytes(Chunk first, std::uint64_t count) const {
    if (rest_ == 0) return count * quotient_;
    return begin(first + count) - begin(first);
  }

 private:
  /// Below 2^32 chunks and a rest below 2^32: nothing overflows.
  std::uint64_t begin(std::uint64_t chunk) const { return chunk * quotient_ + chunk * rest_ / K_; }

  std::uint64_t quotient_, rest_, K_;
};

/// All transfers of one step from `src` to `dst`.
struct SizedMessage {
  Rank src, dst;
  std::uint64_t chunks, bytes;
  /// The messages that switches may copy or combine with it, as in RoutedMessage.
  std::uint32_t multicast = 0, combination = 0;

  RoutedMessage routed() const { return {src, dst, multicast, combination}; }
};

/// The size of a message.
struct MessageSize {
  std::uint64_t chunks, bytes;
};

/// Groups the transfers of steps into messages, in the order of their first transfers.
class MessageReader {
 public:
  /// `side_by_side`: a link carries its chunks in parallel, so that a message counts as the largest
  /// of its chunks (routed machines).
  MessageReader(const ChunkBytes& chunk_bytes, bool side_by_side)
      : chunk_bytes_(chunk_bytes), side_by_side_(side_by_side) {}

  /// Messages of this problem that switches with these rules may copy or combine are in groups.
  void group_by_switches(const SwitchRules& rules, const Problem& problem) {
    if (rules.any()) groups_.emplace(rules, problem);
  }

  /// The messages of a step, valid until the next call.
  std::span<const SizedMessage> read(const Step& step);
  /// Which of the messages read last has the transfer with this index.
  std::size_t message_of(std::size_t transfer) const { return digest_.message_of(transfer); }

 private:
  std::uint64_t bytes(const Transfer& transfer) const;

  ChunkBytes chunk_bytes_;
  bool side_by_side_;
  Digest digest_;
  std::optional<SwitchGroups> groups_;
  std::vector<SizedMessage> messages_;
};

}  // namespace schedcc
