#pragma once

// Expressions as text: "(0+1)+2" is the sum of the contributions of ranks 0 and 1, and then that of
// rank 2; "[0+1+2]" a sum in an order that is not fixed; "{0-7}" a sum of those contributions,
// whose additions are left out. The texts of two different expressions differ, unless that takes
// thousands of characters: of two sums of the same operands, in orders that are not fixed, they say
// where each is added, "[0+1+2] at rank 0".

#include <string>

#include "analysis/expressions.hpp"

namespace schedcc {

/// Where two different expressions first differ.
struct ExpressionDifference {
  std::string first, second;  ///< the parts that differ
  bool whole;                 ///< they are the expressions themselves
  bool unordered;             ///< a part has a sum in an order that is not fixed
  /// "A against B", and what else there is to say.
  std::string text() const;
};

/// Nodes from `ranks` on are no ranks. Time and memory: those of all numbers up to the larger one.
ExpressionDifference difference(const Expressions& expressions, Expressions::Id a,
                                Expressions::Id b, Rank ranks = UINT32_MAX);

}  // namespace schedcc
