#pragma once

// Groups the transfers of a step into messages.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Groups the transfers of a step by source and destination. Groups are numbered in the order of
/// their first transfers. O(n log d) for n transfers, d of a sender, and O(n) if their ends ascend;
/// buffers are kept from step to step.
class MessageGroups {
 public:
  enum class Modes { together, apart };

  /// `apart`: the copies and the reductions of a message are two groups. Throws LimitError for 2^32
  /// transfers or more.
  void read(std::span<const Transfer> transfers, Modes modes = Modes::together);

  /// The number of groups.
  std::size_t size() const { return firsts_.size(); }
  /// The index of the first transfer of each group.
  std::span<const std::size_t> firsts() const { return firsts_; }
  /// The group of the transfer with this index.
  std::size_t of(std::size_t transfer) const { return group_[transfer]; }

 private:
  /// What a rank sends; apart, its copies or its reductions.
  struct Sender {
    std::uint32_t first, transfers;  ///< the index of the first, their number
    Rank receiver;                   ///< of the first
    bool has_others;                 ///< receivers
    std::uint32_t end;               ///< in sent_, if it has
  };

  bool join_ascending(std::span<const Transfer> transfers, Modes modes);
  void join_by_sender(std::span<const Transfer> transfers, Modes modes);
  void count(std::span<const Transfer> transfers, Modes modes);
  void sort_by_sender(std::span<const Transfer> transfers);
  void number_groups();

  std::vector<std::uint32_t> group_;  ///< before number_groups(): the first transfer of the group
  std::vector<std::size_t> firsts_;

  std::vector<Sender> senders_;
  /// The numbers of a rank's senders. Those of earlier steps are less than `base_`.
  NodeArray<std::array<std::uint64_t, 2>> numbers_;
  std::uint64_t base_ = 1;
  std::vector<std::uint64_t> sent_;  ///< to several receivers: receiver, index of the transfer
};

}  // namespace schedcc
