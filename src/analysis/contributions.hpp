#pragma once

// Collections of contributions, as numbers.
//
// What a rank holds of a reduction chunk is a collection of ranks' contributions, some perhaps more
// than once. In most schedules few different collections occur (intervals, subtrees), over and
// over, chunk by chunk. So each gets a number, equal ones the same, and the unions are cached:
// after the first packets a reduction costs a look-up.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/id_index.hpp"
#include "analysis/rank_sets.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

class Contributions {
 public:
  /// The number of a collection.
  using Id = std::uint32_t;
  static constexpr Id unset = 0;  ///< never assigned: free for the caller
  static constexpr Id empty = 1;
  static constexpr Id value = 2;  ///< the value of a chunk that is only copied

  Contributions();
  Id only(Rank rank);
  /// The contributions of a set of ranks, each once.
  Id of(std::span<const RankInterval> ranks) { return of(sets_.of(ranks)); }
  Id of(std::initializer_list<RankInterval> ranks) { return of(std::span(ranks)); }
  Id of(RankSets::Id ranks) { return number({ranks, RankSets::empty}); }
  /// What a holder of `a` has after a reduction with `b`; neither is `value`.
  Id unite(Id a, Id b);

  /// The number of collections.
  std::size_t size() const { return collections_.size(); }
  /// Whose contributions are in a collection.
  RankSets::Id ranks(Id id) const { return collections_[id].ranks; }
  /// Those that are in it more than once.
  RankSets::Id twice(Id id) const { return collections_[id].twice; }
  bool counts_twice(Id id) const { return collections_[id].twice != RankSets::empty; }
  /// Are those of `a` all in `b`?
  bool within(Id a, Id b) { return sets_.subtract(ranks(a), ranks(b)) == RankSets::empty; }
  bool is_interval(Id id) const { return id == value || sets_.size(ranks(id)) == 1; }
  RankSets& sets() { return sets_; }
  const RankSets& sets() const { return sets_; }

 private:
  struct Collection {
    RankSets::Id ranks = RankSets::empty, twice = RankSets::empty;
    friend bool operator==(const Collection&, const Collection&) = default;
  };

  Id number(Collection collection);

  RankSets sets_;
  std::vector<Collection> collections_;
  IdIndex index_;
  NodeArray<Id> single_;
  BlockTable<Id, 1> unions_;  ///< by the two numbers
};

}  // namespace schedcc
