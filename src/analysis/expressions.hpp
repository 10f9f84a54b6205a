#pragma once

// The sums of a reduction as expressions: which contributions were added to which, in which order
// of additions.
//
// An addition of floating-point numbers commutes, but does not associate: equal expressions are
// those of the same additions, each with its operands in either order. Equal ones have the same
// number: an addition is found by the numbers of its operands, the smaller first. That is exact,
// and an addition costs a look-up.
//
// A rank to which several sums come at the same time adds them in an order that the schedule does
// not fix. Such a sum of three or more is equal only to itself, that is, to its copies.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/id_index.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// An Id is the number of an expression, above those of its operands.
class Expressions : public HeldIds {
 public:
  Expressions() : nodes_(3) {}

  /// The contribution of a rank.
  Id only(Rank rank);
  /// What a holder of `a` has after a reduction with `b`; neither is `value`.
  Id add(Id a, Id b);
  /// What `adder` has after reductions with all of `operands` but the first at the same time.
  Id add_together(std::span<const Id> operands, Rank adder);

  /// The numbers up to here are in use.
  std::size_t size() const { return nodes_.size(); }
  bool is_sum(Id id) const { return id > value && nodes_[id][1] != unset; }
  /// Is the order of its additions not fixed?
  bool is_unordered(Id id) const { return id > value && nodes_[id][1] == empty; }
  /// The rank of a contribution.
  Rank rank(Id id) const { return nodes_[id][0]; }
  /// The node that adds up an unordered sum.
  Rank adder(Id id) const { return lists_[nodes_[id][0]]; }
  /// The operands of a sum; valid until the next one is added.
  std::span<const Id> operands(Id id) const;

 private:
  /// The operands of a sum; a rank and `unset`; where the operands of an unordered sum are listed,
  /// and `empty`.
  using Node = std::array<std::uint32_t, 2>;

  Id append(const Node& node);

  std::vector<Node> nodes_;
  IdIndex sums_;
  NodeArray<Id> single_;
  /// For each unordered sum the node that adds, how many operands it has, and these.
  std::vector<std::uint32_t> lists_;
};

}  // namespace schedcc
