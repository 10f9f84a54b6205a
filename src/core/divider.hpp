#pragma once

#include <cstdint>

namespace schedcc {

/// Division by a number that stays the same, as a multiplication: with c = ceil(2^64 / d) the
/// quotient is the high half of c n, for all 32-bit n and d >= 2 (Lemire, Kaser, Kurz 2019).
class Divider {
 public:
  explicit Divider(std::uint32_t d) : c_(d > 1 ? UINT64_MAX / d + 1 : 0) {}

  std::uint32_t operator()(std::uint32_t n) const {
    if (c_ == 0) return n;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>(Wide{c_} * n >> 64);
  }

 private:
  std::uint64_t c_;
};

}  // namespace schedcc
