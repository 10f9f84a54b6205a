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
/// their first transfers. O(n) for n transfers if their ends ascend, or no sender has more than a
/// few receivers, else O(n log d), d of a sender; buffers are kept from step to step.
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
  /// The groups of a rank; apart, its copies or its reductions have others.
  struct Sender {
    static constexpr std::uint32_t few = 4;
    std::uint64_t step = 0;  ///< in which it sent last
    std::uint32_t groups = 0;
    std::array<Rank, few> receivers;
    std::array<std::uint32_t, few> numbers;
  };
  using Senders = NodeArray<Sender>;

  bool join_ascending(std::span<const Transfer> transfers, Modes modes);
  bool join_few(std::span<const Transfer> transfers, Modes modes);
  void join_sorted(std::span<const Transfer> transfers, Modes modes);
  void sort_by_sender(std::span<const Transfer> transfers, Modes modes);
  void number_groups();

  std::vector<std::uint32_t> group_;
  std::vector<std::size_t> firsts_;

  std::uint64_t step_ = 0;
  std::array<Senders, 2> senders_;  ///< by mode, if they are apart

  // If a sender has many receivers:
  std::vector<std::uint32_t> ends_;  ///< in sent_, of the senders
  std::vector<std::uint64_t> sent_;  ///< by sender: receiver, index of the transfer
};

}  // namespace schedcc
