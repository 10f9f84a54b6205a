#pragma once

// The properties of a step that most checks need: its messages, and whether any rank has several.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/message_groups.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// All transfers of one step from `src` to `dst`.
struct Message {
  Rank src, dst;
  std::uint64_t chunks;
  std::size_t first;  ///< index of its first transfer in the step
};

/// Computed in one pass over the transfers of a step. Most steps have at most one transfer per
/// sender and per receiver; then nothing else is computed.
class Digest {
 public:
  void read(const Step& step);

  /// Some rank sends (receives) more than one transfer; some rank does both.
  bool sends_twice() const { return sends_twice_; }
  bool receives_twice() const { return receives_twice_; }
  bool sends_and_receives() const { return both_; }

  /// May two transfers bring the same chunk to the same rank? Exact only if all carry one chunk.
  /// Made on demand.
  bool chunks_meet() const;
  /// It is known that no two do.
  void note_apart() { meet_ = false; }

  /// The number of messages, and the chunks of the largest.
  std::uint64_t size() const { return sends_twice_ ? messages().size() : step_.transfers.size(); }
  std::uint64_t largest() const;

  /// The messages in the order of their first transfers. Made on demand.
  std::span<const Message> messages() const;
  /// Which of them has the transfer with this index. Made on demand.
  std::size_t message_of(std::size_t transfer) const {
    if (!sends_twice_) return transfer;
    if (!made_) messages();
    return groups_.of(transfer);
  }

 private:
  struct Mark {
    std::uint32_t sent = 0, received = 0;  ///< the stamp of the last step in which it did
  };

  Step step_;
  NodeArray<Mark> marks_;
  std::uint32_t stamp_ = 0;
  bool sends_twice_ = false, receives_twice_ = false, both_ = false;
  std::uint32_t largest_ = 0;  ///< transfer
  mutable bool made_ = false;
  mutable MessageGroups groups_;
  mutable std::vector<Message> messages_;
  mutable std::optional<bool> meet_;
  mutable std::vector<std::uint64_t> places_;  ///< chunks_meet(): a hash table
};

}  // namespace schedcc
