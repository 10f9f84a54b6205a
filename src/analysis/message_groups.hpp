#pragma once

// Groups the transfers of a step into messages.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/id_index.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Groups the transfers of a step by source and destination. Groups are numbered in the order of
/// their first transfers. O(n) for n transfers; buffers are kept from step to step.
class MessageGroups {
 public:
  enum class Modes { together, apart };

  /// `apart`: the copies and the reductions of a message are two groups. Throws LimitError for more
  /// transfers than IdIndex has numbers.
  void read(std::span<const Transfer> transfers, Modes modes = Modes::together);

  /// The number of groups.
  std::size_t size() const { return firsts_.size(); }
  /// The index of the first transfer of each group.
  std::span<const std::size_t> firsts() const { return firsts_; }
  /// The group of the transfer with this index.
  std::size_t of(std::size_t transfer) const { return group_[transfer]; }

 private:
  struct Key {
    std::uint64_t ends;  ///< source, destination
    bool reduces;        ///< false for groups of both modes
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  IdIndex::Id find_or_add(const Key& key);
  static std::uint64_t hash(const Key& key);

  std::vector<IdIndex::Id> group_;
  std::vector<std::size_t> firsts_;
  std::vector<Key> keys_;  ///< of the groups
  IdIndex index_;          ///< of the keys
};

}  // namespace schedcc
