#ifndef SCHEDCC_INTEGERS_HPP
#define SCHEDCC_INTEGERS_HPP

// Arithmetic on whole numbers, for steps, levels and sizes: no floating-point rounding. (A part of
// the text that --emit cpp:local writes, as the headers of src/algorithm/kernel are; hence the
// include guard.)

#include <bit>
#include <cstdint>

namespace schedcc {

/// ceil(a / b) for b >= 1.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// ceil(log2 P) for P >= 1.
constexpr std::uint32_t ceil_log2(std::uint64_t P) {
  return static_cast<std::uint32_t>(std::bit_width(P - 1));
}

/// ceil(log_r P) for r >= 2, P >= 1: the least e with r^e >= P.
constexpr std::uint64_t ceil_log(std::uint64_t r, std::uint64_t P) {
  std::uint64_t e = 0;
  for (std::uint64_t rest = P; rest > 1; rest = ceil_div(rest, r)) ++e;
  return e;
}

/// r^e, for powers below 2^64.
constexpr std::uint64_t power(std::uint64_t r, std::uint64_t e) {
  std::uint64_t result = 1;
  while (e-- > 0) result *= r;
  return result;
}

}  // namespace schedcc

#endif  // SCHEDCC_INTEGERS_HPP
