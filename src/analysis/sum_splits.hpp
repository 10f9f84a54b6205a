#pragma once

// Whether equal sums are the same expressions, without the expressions.
//
// Theory. Let a node add one collection of contributions to another at a time, and let each
// collection in which no contribution occurs twice, wherever it is the result of an addition, be
// that of the same two. Then all who hold it have the same expression: by induction on its size, as
// its parts are smaller, and a copy has the expression of its original. So it is where partners
// double what they have. What is left are schedules in which a collection comes about in several
// ways, of which the expressions may differ.

#include <algorithm>
#include <cstdint>

#include "analysis/block_table.hpp"
#include "analysis/contributions.hpp"

namespace schedcc {

/// The parts of which sums were made.
class SumSplits {
 public:
  using Id = Contributions::Id;

  /// Follows up to `most` sums; memory is proportional to those that occur.
  explicit SumSplits(std::uint64_t most) : most_(most) {}

  /// `a` and `b`, not empty, were added up to `sum`, in which none occurs twice.
  void note(Id a, Id b, Id sum) {
    if (!one_each_) return;
    const Id part = std::min(a, b);  // the other one is the rest of the sum
    Id& known = *parts_.at(sum);
    if (known == Contributions::unset) known = part;
    if (known != part || parts_.used() > most_) give_up();
  }
  /// Sums may be of other parts from now on, or of several at a time.
  void give_up() {
    one_each_ = false;
    parts_ = {};
  }

  /// Was each sum made of the same parts, as far as is known?
  bool one_each() const { return one_each_; }

 private:
  std::uint64_t most_;
  bool one_each_ = true;
  BlockTable<Id, 1> parts_;  ///< the one with the smaller number, by sum
};

}  // namespace schedcc
