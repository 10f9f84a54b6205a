#pragma once

// Random numbers for searches that make the same choices each time.

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace schedcc::prover {

/// Numbers from a fixed seed; what is drawn from them does not depend on the standard library.
class Dice {
 public:
  /// A number in [0, 1).
  double fraction() { return static_cast<double>(bits_()) * 0x1p-32; }
  /// False or true, equally often.
  bool coin() { return fraction() < 0.5; }
  /// Puts the list into any order.
  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[bits_() % i]);
  }

 private:
  std::mt19937 bits_{1};
};

}  // namespace schedcc::prover
