// Prime factors, and the divisor next to the root, compared with trial division, and with numbers
// near 2^60 whose factors are known.

#include "core/divisors.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

std::uint64_t by_trial(std::uint64_t n) {
  std::uint64_t best = 1;
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

}  // namespace

TEST_CASE("the divisor next to the root is found, as by trial") {
  for (std::uint64_t n = 1; n <= 20'000; ++n) REQUIRE(divisor_near_root(n) == by_trial(n));
  for (std::uint64_t n = (1U << 30) - 100; n < (1U << 30) + 100; ++n)
    REQUIRE(divisor_near_root(n) == by_trial(n));
}

TEST_CASE("numbers near 2^60 are factored") {
  const std::uint64_t p = (std::uint64_t{1} << 30) - 35,
                      q = (std::uint64_t{1} << 30) - 41;  // primes
  REQUIRE(by_trial(p) == 1);
  REQUIRE(by_trial(q) == 1);
  CHECK(divisor_near_root(p * q) == q);
  CHECK(divisor_near_root(p * p) == p);
  CHECK(divisor_near_root(std::uint64_t{1} << 60) == std::uint64_t{1} << 30);
  CHECK(divisor_near_root(((std::uint64_t{1} << 61) - 1)) == 1);  // a Mersenne prime
  CHECK(divisor_near_root(614889782588491410U) == 783152070U);    // the product of 15 primes
  for (std::uint64_t n = (std::uint64_t{1} << 60) - 40; n < std::uint64_t{1} << 60; ++n) {
    std::uint64_t product = 1;
    for (const std::uint64_t factor : prime_factors(n)) product *= factor;
    CHECK(product == n);
  }
}
