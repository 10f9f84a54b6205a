#pragma once

// Divisors of numbers below 2^63, found from their prime factors.
//
// Small primes are divided out. What is left is split by Pollard's rho: of the sequence x, x^2 + c,
// ... modulo n two members agree modulo a factor p after about sqrt(p) steps, at most 2^15 or so
// here, and Floyd's two walks find them. Whether a number is prime is decided by Miller and Rabin's
// test with the first twelve primes, which has no exception below 2^64 (Sorenson, Webster 2015).

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace schedcc {

namespace divisors_detail {

__extension__ using Wide = unsigned __int128;

inline std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  return static_cast<std::uint64_t>(Wide{a} * b % n);
}

/// Is odd n, with no prime factor up to 37, a probable prime to this base?
inline bool passes(std::uint64_t n, std::uint64_t base) {
  const int twos = std::countr_zero(n - 1);
  std::uint64_t x = 1;
  for (std::uint64_t e = (n - 1) >> twos, square = base; e > 0; e >>= 1) {
    if (e % 2 == 1) x = times(x, square, n);
    square = times(square, square, n);
  }
  if (x == 1) return true;
  for (int i = 0; i < twos; ++i, x = times(x, x, n)) {
    if (x == n - 1) return true;
  }
  return false;
}

inline bool is_prime(std::uint64_t n) {
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    if (!passes(n, base)) return false;
  }
  return true;
}

/// A factor of a composite odd n other than 1 and n. Differences are multiplied, so that few common
/// divisors are looked for.
inline std::uint64_t split(std::uint64_t n) {
  for (std::uint64_t c = 1;; ++c) {
    std::uint64_t slow = 2, fast = 2, common = 1;
    const auto next = [&](std::uint64_t x) { return (times(x, x, n) + c) % n; };
    while (common == 1) {
      std::uint64_t product = 1;
      for (int i = 0; i < 32; ++i) {
        slow = next(slow);
        fast = next(next(fast));
        product = times(product, slow > fast ? slow - fast : fast - slow, n);
      }
      common = std::gcd(product, n);
    }
    if (common != n) return common;
  }
}

}  // namespace divisors_detail

/// The prime factors of n >= 1, each as often as it divides n.
inline std::vector<std::uint64_t> prime_factors(std::uint64_t n) {
  std::vector<std::uint64_t> result;
  constexpr std::uint64_t small = 1024;
  for (std::uint64_t p = 2; p < small && p * p <= n; ++p) {
    for (; n % p == 0; n /= p) result.push_back(p);
  }
  std::vector<std::uint64_t> left;
  if (n > 1) left.push_back(n);
  while (!left.empty()) {
    const std::uint64_t m = left.back();
    left.pop_back();
    if (m < small * small || divisors_detail::is_prime(m)) {
      result.push_back(m);
      continue;
    }
    const std::uint64_t factor = divisors_detail::split(m);
    left.push_back(factor);
    left.push_back(m / factor);
  }
  return result;
}

/// The largest divisor of n >= 1 that is not above its square root.
inline std::uint64_t divisor_near_root(std::uint64_t n) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root > n / root) --root;
  while (root + 1 <= n / (root + 1)) ++root;
  std::vector<std::uint64_t> factors = prime_factors(n), divisors{1};  // those up to the root
  std::ranges::sort(factors);
  std::uint64_t power = 1;
  for (std::size_t i = 0, known = 1; i < factors.size(); ++i) {
    if (i == 0 || factors[i] != factors[i - 1]) {
      known = divisors.size();
      power = 1;
    }
    power *= factors[i];
    for (std::size_t j = 0; j < known; ++j) {
      if (power <= root / divisors[j]) divisors.push_back(divisors[j] * power);
    }
  }
  return *std::ranges::max_element(divisors);
}

}  // namespace schedcc
