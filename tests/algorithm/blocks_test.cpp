// Blocks of a vector as kernels cut it: which of them are empty, against a search.

#include "catch.hpp"

#include <cstdint>

#include "algorithm/kernel/blocks.hpp"

using namespace schedcc::local;

namespace {

/// The least n < end for which `found(n)`, or `never`.
template <typename F>
std::uint64_t first_of(std::uint64_t end, F found) {
  for (std::uint64_t n = 0; n < end; ++n) {
    if (found(n)) return n;
  }
  return never;
}

}  // namespace

TEST_CASE("the first multiple in a range, modulo m") {
  std::uint64_t wrong = 0;
  for (std::uint64_t m = 1; m <= 24; ++m) {
    for (std::uint64_t d = 0; d < m; ++d) {
      for (std::uint64_t l = 0; l < m; ++l) {
        for (std::uint64_t u = l; u < m; ++u) {
          const auto in = [&](std::uint64_t n) { return n * d % m >= l && n * d % m <= u; };
          wrong += first_multiple(d, m, l, u) != first_of(m, in);
        }
      }
    }
  }
  CHECK(wrong == 0);
  const std::uint64_t large = std::uint64_t{1} << 60;
  CHECK(first_multiple(1, large, large - 1, large - 1) == large - 1);
  CHECK(first_multiple(large - 1, large, 1, 1) == large - 1);
  CHECK(first_multiple(large / 2, large, 1, large / 2 - 1) == never);
}

TEST_CASE("of every stride-th block the first one with chunks") {
  std::uint64_t wrong = 0;
  for (std::uint64_t P = 1; P <= 24; ++P) {
    for (std::uint64_t total = 1; total <= 30; ++total) {
      const Blocks blocks{total, P};
      for (std::uint64_t b = 0; b < P; ++b) {
        for (std::uint64_t stride = 1; stride <= 2 * P; ++stride) {
          const auto full = [&](std::uint64_t n) { return !blocks.empty((b + n * stride) % P); };
          wrong += blocks.empty_in_turn(b, stride) != first_of(P, full);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("block b begins at floor(b total / P)") {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t large = std::uint64_t{1} << 40;
  const auto begins = [](std::uint64_t total, std::uint64_t P, std::uint64_t b) {
    return Blocks{total, P}.begin(b) == static_cast<std::uint64_t>(Wide{b} * total / P);
  };
  std::uint64_t wrong = 0;
  for (std::uint64_t P = 1; P <= 24; ++P) {
    for (std::uint64_t total = 1; total <= 100; ++total) {
      for (std::uint64_t b = 0; b <= P; ++b) {
        wrong += !begins(total, P, b);
        wrong += !begins(large * total + P, P, b);
        wrong += !begins(large + total, large - P, large - P - b);
      }
    }
  }
  CHECK(wrong == 0);
}
