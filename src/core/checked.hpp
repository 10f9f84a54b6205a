#pragma once

// Arithmetic for capacities, rounds, widths and steps, each of which may be any number of 64 bits:
// no product of two of them may wrap round.

#include <compare>
#include <cstdint>

#include "core/integers.hpp"

namespace schedcc {

/// A whole number, or at least 2^64 - 1: sums and products that are larger stay there. What is
/// said of a machine's capacity, or of what a problem demands, is "at least so much" then, so it is
/// safe to compare with a number of things that are in memory, and a quotient of two such numbers
/// is never too large (see ceil_div).
class Saturating {
 public:
  static constexpr std::uint64_t most = UINT64_MAX;

  constexpr Saturating(std::uint64_t value = 0) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }

  friend constexpr Saturating operator+(Saturating a, Saturating b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? most : sum;
  }
  friend constexpr Saturating operator*(Saturating a, Saturating b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? most : product;
  }
  constexpr Saturating& operator+=(Saturating other) { return *this = *this + other; }
  constexpr Saturating& operator*=(Saturating other) { return *this = *this * other; }

  friend constexpr auto operator<=>(const Saturating&, const Saturating&) = default;

 private:
  std::uint64_t value_;
};

/// a - b, or 0 where that is negative. `a` is a demand, of which at least the result remains when b
/// is supplied: so it does where b is larger than can be said, since it is 0 then.
constexpr Saturating remaining(Saturating a, Saturating b) {
  return a > b ? a.value() - b.value() : 0;
}

/// ceil(a / b) for b >= 1: at most the true quotient, also where a, b, or both are larger than can
/// be said.
constexpr Saturating ceil_div(Saturating a, Saturating b) { return ceil_div(a.value(), b.value()); }

}  // namespace schedcc
