// Saturating numbers against the same in 128 bits.

#include <vector>

#include "catch.hpp"
#include "core/saturating.hpp"

using namespace schedcc;

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t clipped(Wide value) {
  return value > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(value);
}

/// 0 and 1, and around each power of two that an overflow could begin at.
std::vector<std::uint64_t> extremes() {
  std::vector<std::uint64_t> result{0, 1, 2, 3, 5, UINT64_MAX - 1, UINT64_MAX};
  for (const int bits : {16, 31, 32, 33, 62, 63}) {
    for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}}) {
      result.push_back((std::uint64_t{1} << bits) - 1 + near);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sums and products stop at the top, and quotients are never too large", "[saturating]") {
  for (const std::uint64_t a : extremes()) {
    for (const std::uint64_t b : extremes()) {
      INFO(a << ", " << b);
      CHECK((Saturating(a) + b).value() == clipped(Wide{a} + b));
      CHECK((Saturating(a) * b).value() == clipped(Wide{a} * b));
      CHECK((Saturating(a) < Saturating(b)) == (a < b));
      CHECK(remaining(a, b).value() == (a > b ? a - b : 0));
      for (const std::uint64_t c : extremes()) {
        if (c == 0 || b == 0) continue;
        // (a b) / (b c) is a / c, in whatever order it is saturated.
        CHECK(ceil_div(Saturating(a) * b, Saturating(b) * c).value() <=
              static_cast<std::uint64_t>((Wide{a} + c - 1) / c));
        const Wide product = Wide{a} * b;
        const Wide missing = product > c ? product - c : 0;
        CHECK(remaining(Saturating(a) * b, c).value() <= clipped(missing));
        const Wide over = Wide{b} * c;
        CHECK(remaining(a, Saturating(b) * c).value() == clipped(a > over ? a - over : 0));
      }
    }
  }
}
