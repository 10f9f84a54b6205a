#pragma once

// Arithmetic for capacities, rounds, widths and steps, each of which may be any number of 64 bits:
// no product of two of them may overflow.

#include <compare>
#include <cstdint>
#include <numeric>

#include "core/integers.hpp"

namespace schedcc {

/// A whole number that saturates at 2^64 - 1, for larger sums and products. A saturated capacity or
/// demand is a lower bound of the true one, so it is safe to compare with a number of things that
/// are in memory, and a quotient of two such numbers is never too large (see ceil_div).
class Saturating {
 public:
  static constexpr std::uint64_t max = UINT64_MAX;

  constexpr Saturating(std::uint64_t value = 0) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }

  friend constexpr Saturating operator+(Saturating a, Saturating b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? max : sum;
  }
  friend constexpr Saturating operator*(Saturating a, Saturating b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? max : product;
  }
  constexpr Saturating& operator+=(Saturating other) { return *this = *this + other; }
  constexpr Saturating& operator*=(Saturating other) { return *this = *this * other; }

  friend constexpr auto operator<=>(const Saturating&, const Saturating&) = default;

 private:
  std::uint64_t value_;
};

/// a - b, or 0 if that is negative. `a` is a demand, of which at least the result remains when b is
/// supplied; if b is saturated, the result is 0.
constexpr Saturating remaining(Saturating a, Saturating b) {
  return a > b ? a.value() - b.value() : 0;
}

/// ceil(a / b) for b >= 1: at most the true quotient, also if a, b, or both are saturated.
constexpr Saturating ceil_div(Saturating a, Saturating b) { return ceil_div(a.value(), b.value()); }

/// The least common multiple of two positive numbers.
constexpr Saturating least_common_multiple(std::uint64_t a, std::uint64_t b) {
  return Saturating(a / std::gcd(a, b)) * b;
}

}  // namespace schedcc
