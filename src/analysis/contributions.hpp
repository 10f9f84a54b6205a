#pragma once

// Collections of contributions, as numbers.
//
// What a rank holds of a reduction chunk is a collection of ranks' contributions, some perhaps more
// than once. In most schedules few different collections occur (intervals, subtrees), over and
// over, chunk by chunk. So each gets a number, equal ones the same, and the unions are cached:
// after the first packets a reduction costs a look-up.
//
// On a ring the collections are intervals of ranks, which may wrap around, and there are P^2 of
// them; where partners double what they have, as in a recursive doubling, there are 2P, of 2^i
// ranks each. Where their first ranks and lengths fit into a number, the number of an interval
// consists of these, and neither needs memory nor, to unite neighbours, a look-up: all intervals of
// up to 2^15 ranks, those of 2^i ranks among up to 2^26.

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/id_index.hpp"
#include "analysis/rank_sets.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// An Id is the number of a collection.
class Contributions : public HeldIds {
 public:
  Contributions() : Contributions(0) {}
  /// Contributions of ranks 0..ranks-1 only; 0: of any.
  explicit Contributions(std::uint64_t ranks);
  Id only(Rank rank);
  /// The contributions of a set of ranks, each once.
  Id of(std::span<const RankInterval> ranks);
  Id of(std::initializer_list<RankInterval> ranks) { return of(std::span(ranks)); }
  Id of(RankSets::Id ranks);
  /// What a holder of `a` has after a reduction with `b`; neither is `value`.
  Id unite(Id a, Id b) {
    if ((a & b & arc_bit) != 0) {
      const Arc left = arc(a), right = arc(b);
      if (left.length + right.length <= ranks_ && is_numbered(left.length + right.length)) {
        if (end(left) == right.first) return id({left.first, left.length + right.length});
        if (end(right) == left.first) return id({right.first, left.length + right.length});
      }
    }
    return unite_sets(a, b);
  }

  /// The number of collections that take memory.
  std::size_t size() const { return collections_.size(); }
  /// Whose contributions are in a collection.
  RankSets::Id ranks(Id id) const { return is_arc(id) ? ranks(arc(id)) : collections_[id].ranks; }
  /// The ranks whose contributions are in it more than once.
  RankSets::Id twice(Id id) const { return is_arc(id) ? RankSets::empty : collections_[id].twice; }
  bool counts_twice(Id id) const { return twice(id) != RankSets::empty; }
  /// Are those of `a` all in `b`?
  bool within(Id a, Id b) { return sets_.subtract(ranks(a), ranks(b)) == RankSets::empty; }
  bool is_interval(Id id) const {
    if (is_arc(id)) return std::uint64_t{arc(id).first} + arc(id).length <= ranks_;
    return id == value || sets_.size(ranks(id)) == 1;
  }
  RankSets& sets() { return sets_; }
  const RankSets& sets() const { return sets_; }

 private:
  struct Collection {
    RankSets::Id ranks = RankSets::empty, twice = RankSets::empty;
    friend bool operator==(const Collection&, const Collection&) = default;
  };

  /// An interval of the ranks 0..ranks_-1, closed to a ring. All ranks begin at rank 0.
  struct Arc {
    std::uint32_t first, length;
  };
  static constexpr Id arc_bit = Id{1} << 31;
  /// What arcs have for their lengths: any length, or the exponent of a power of two.
  static constexpr unsigned bits_of_any = 15, bits_of_exponent = 5;
  static bool is_arc(Id id) { return (id & arc_bit) != 0; }
  /// Is every arc of this length its number?
  bool is_numbered(std::uint32_t length) const {
    return length_bits_ == bits_of_any || std::has_single_bit(length);
  }
  Arc arc(Id id) const {
    const std::uint32_t length = id & ((Id{1} << length_bits_) - 1);
    return {(id ^ arc_bit) >> length_bits_,
            length_bits_ == bits_of_any ? length + 1 : std::uint32_t{1} << length};
  }
  /// Its length is numbered.
  Id id(Arc arc) const {
    const std::uint32_t first = arc.length == ranks_ ? 0 : arc.first;
    const auto length = length_bits_ == bits_of_any
                            ? arc.length - 1
                            : static_cast<std::uint32_t>(std::countr_zero(arc.length));
    return arc_bit | first << length_bits_ | length;
  }
  /// The rank after an arc.
  std::uint32_t end(Arc arc) const {
    const std::uint32_t end = arc.first + arc.length;
    return end < ranks_ ? end : end - ranks_;
  }
  RankSets::Id ranks(Arc arc) const;
  /// The arc that a set of ranks is, if it is one.
  std::optional<Arc> arc_of(RankSets::Id ranks) const;

  Id number(Collection collection);
  Id unite_sets(Id a, Id b);

  std::uint32_t ranks_ = 0;   ///< 0: there are no arcs
  unsigned length_bits_ = 0;  ///< of an arc
  mutable RankSets sets_;     ///< those of arcs are made on demand
  std::vector<Collection> collections_;
  IdIndex index_;
  NodeArray<Id> single_;
  BlockTable<Id, 1> unions_;  ///< by the two numbers
};

}  // namespace schedcc
