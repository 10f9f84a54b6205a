#pragma once

// Sets of ranks, each with a number. Equal sets have the same number (hash consing), so that sets
// are compared, and results of operations cached, by number.
//
// A set of few intervals is stored as a list of them, any other as a binary decision diagram over
// the bits of a rank, the highest bit first. A node of level L stands for a set of ranks below 2^L:
// its low child for those below 2^(L-1), its high child for the others, less 2^(L-1). There is no
// node whose high child is empty; its low child is used instead. Diagrams share equal nodes: a set
// that differs from another in few ranks needs few nodes of its own, however many intervals both
// have.
//
// Source of the diagrams: Bryant 1986, "Graph-based algorithms for Boolean function manipulation";
// that nodes with an empty upper half are left out is Minato 1993, "Zero-suppressed BDDs".

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/id_index.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Appends an interval to a set; it does not begin below the set's last interval.
void append(Intervals& set, const RankInterval& more);
/// The intervals of some ranks, which are in any order.
Intervals intervals_of(std::vector<Rank> ranks);
/// "3", or "5-7".
std::string in_digits(const RankInterval& ranks);
/// "rank 3", or "ranks 3, 5-7, ...".
std::string in_words(const Intervals& ranks);
Intervals unite(std::span<const RankInterval> a, std::span<const RankInterval> b);
Intervals intersect(std::span<const RankInterval> a, std::span<const RankInterval> b);
/// The ranks of `a` that are not in `b`.
Intervals subtract(std::span<const RankInterval> a, std::span<const RankInterval> b);

class RankSets {
 public:
  /// The number of a set.
  using Id = std::uint32_t;
  static constexpr Id empty = 0;
  static constexpr std::size_t few = 16;  ///< the most intervals of a set that is stored as a list

  RankSets();

  Id of(std::span<const RankInterval> intervals);
  Id unite(Id a, Id b) { return combine(Operation::unite, a, b); }
  Id intersect(Id a, Id b) { return combine(Operation::intersect, a, b); }
  /// The ranks of `a` that are not in `b`.
  Id subtract(Id a, Id b) { return combine(Operation::subtract, a, b); }

  /// How many intervals a set has.
  std::uint64_t size(Id set) const;
  /// The intervals of a set; if there are more than `most`, the first of them.
  Intervals intervals(Id set, std::size_t most = SIZE_MAX) const;
  /// From the first rank of a set, which is not empty, to its last.
  RankInterval hull(Id set) const;

 private:
  enum class Operation : std::uint8_t { unite, intersect, subtract };

  /// The number of a diagram: 0 is empty, 1 + L all ranks below 2^L, others are nodes.
  using Diagram = std::uint32_t;
  struct Node {
    Diagram low, high;        ///< the children
    std::uint32_t intervals;  ///< of the set
    std::uint8_t level;
    bool has_first, has_last;  ///< does the set contain rank 0, and rank 2^level - 1?
  };
  /// A cached result.
  struct CacheEntry {
    Diagram a = 0, b = 0, result = 0;
    Operation operation = Operation::unite;
  };
  /// An operand that is a list.
  struct RankList {
    std::span<const RankInterval> intervals;  ///< those that overlap the current node's ranks
    bool left;                                ///< is it the left operand?
  };

  static constexpr Id is_diagram = Id{1} << 31;
  static constexpr unsigned levels = 33;  ///< 0..32
  static constexpr Diagram full(unsigned level) { return 1 + level; }

  Id listed(Intervals intervals);
  Id number(Diagram diagram);
  Id combine(Operation operation, Id a, Id b);

  Diagram make(unsigned level, Diagram low, Diagram high);
  std::optional<Diagram> at_once(Operation operation, Diagram a, Diagram b) const;
  Diagram apply(Operation operation, Diagram a, Diagram b);
  Diagram apply(Operation operation, Diagram a, const RankList& b, std::uint64_t base,
                unsigned level);

  Diagram low(Diagram diagram, unsigned level) const;
  Diagram high(Diagram diagram, unsigned level) const;
  std::size_t cache_place(Operation operation, Diagram a, Diagram b);
  void list(Diagram diagram, std::uint64_t base, std::size_t most, Intervals& result) const;

  std::vector<Intervals> lists_;  ///< by number
  IdIndex list_index_;
  std::vector<Node> nodes_;
  IdIndex node_index_;
  std::vector<CacheEntry> cache_;  ///< a later result replaces an earlier one
};

}  // namespace schedcc
