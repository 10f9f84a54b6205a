#pragma once

// Groups the transfers of a step into messages.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Groups the transfers of a step by source and destination. Groups are numbered in the order of
/// their first transfers. O(n log n) for n transfers; buffers are kept from step to step.
class MessageGroups {
 public:
  enum class Modes { together, apart };

  /// `apart`: the copies and the reductions of a message are two groups.
  void read(std::span<const Transfer> transfers, Modes modes = Modes::together);

  /// The number of groups.
  std::size_t size() const { return firsts_.size(); }
  /// The index of the first transfer of each group.
  std::span<const std::size_t> firsts() const { return firsts_; }
  /// The group of the transfer with this index.
  std::size_t of(std::size_t transfer) const { return group_[transfer]; }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order_;  ///< ends; mode and index
  std::vector<std::size_t> group_, firsts_;
};

}  // namespace schedcc
