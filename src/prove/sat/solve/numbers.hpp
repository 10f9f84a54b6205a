#pragma once

// Whole numbers from small ranges as variables of a formula.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// A number in order encoding: `more[i]` is true if it is more than least + i.
struct Number {
  std::int64_t least = 0;
  Literals more = {};

  std::int64_t most() const { return least + std::ssize(more); }
  Literal at_least(std::int64_t n) const {
    if (n <= least) return Formula::yes;
    return n > most() ? Formula::no : more[static_cast<std::size_t>(n - least - 1)];
  }
  Literal at_most(std::int64_t n) const { return -at_least(n + 1); }
  /// Its value in a model. Its literals must be variables, not their negations.
  std::int64_t value(const Model& model) const;
};

/// A new number from `least` to `most`.
Number new_number(std::int64_t least, std::int64_t most, Formula& formula);
/// Minus the number.
Number negative(const Number& number);

/// The sum of the numbers is `sum`.
void sum_is(std::span<const Number> numbers, std::int64_t sum, Formula& formula);

/// A number and the integer, not 0, by which it is multiplied.
using Term = std::pair<std::int64_t, const Number*>;

/// The sum of a few terms and `constant` is at most `bound`.
void at_most(const std::vector<Term>& terms, std::int64_t constant, const Number& bound,
             Formula& formula);

}  // namespace schedcc::prover
