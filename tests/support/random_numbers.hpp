#pragma once

#include <cstdint>

namespace random_numbers {

/// Pseudo-random numbers, the same on every system (Knuth's MMIX).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// A number in 0..n-1.
  std::uint32_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

}  // namespace random_numbers
