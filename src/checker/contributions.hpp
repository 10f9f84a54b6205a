#pragma once

// Collections of contributions, as numbers.
//
// What a rank holds of a reduction chunk is a collection of ranks' contributions, some perhaps more
// than once. In most schedules few different collections occur (intervals, subtrees), over and
// over, chunk by chunk. So each gets a number, equal ones the same, and the union of two is
// remembered: after the first packets a reduction costs a look-up.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/block_table.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Ranks first..last.
struct Interval {
  Rank first, last;
  friend bool operator==(const Interval&, const Interval&) = default;
};
/// Ascending, with gaps between them.
using Intervals = std::vector<Interval>;

Intervals unite(std::span<const Interval> a, std::span<const Interval> b);
Intervals intersect(std::span<const Interval> a, std::span<const Interval> b);
/// The ranks of `a` that are not in `b`.
Intervals subtract(std::span<const Interval> a, std::span<const Interval> b);

class Contributions {
 public:
  /// The number of a collection.
  using Id = std::uint32_t;
  static constexpr Id unset = 0;  ///< never given out: free for the caller
  static constexpr Id empty = 1;
  static constexpr Id value = 2;  ///< the value of a chunk that is only copied

  struct Collection {
    Intervals ranks;  ///< whose contributions are in it
    Intervals twice;  ///< those that are in it more than once
    friend bool operator==(const Collection&, const Collection&) = default;
  };

  Contributions();
  Id only(Rank rank);
  Id of(Collection collection);
  /// What a holder of `a` has after a reduction with `b`; neither is `value`.
  Id unite(Id a, Id b);

  const Collection& operator[](Id id) const { return collections_[id]; }
  bool is_interval(Id id) const { return id == value || collections_[id].ranks.size() == 1; }

 private:
  struct Hash {
    std::size_t operator()(const Collection& collection) const;
  };
  std::vector<Collection> collections_;
  std::unordered_map<Collection, Id, Hash> ids_;
  NodeArray<Id> single_;
  BlockTable<Id, 1> unions_;  ///< by the two numbers
};

}  // namespace schedcc
