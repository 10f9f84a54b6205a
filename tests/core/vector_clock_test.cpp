// Clocks in pages that they share, against plain vectors of numbers.

#include "core/vector_clock.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace schedcc;

namespace {

/// A clock, and the same as a vector.
struct Twin {
  VectorClock clock;
  std::vector<std::uint32_t> numbers;

  explicit Twin(std::size_t processes) : clock(processes), numbers(processes) {}

  void set(std::size_t process, std::uint32_t number) {
    clock.set(process, number);
    numbers[process] = number;
  }
  void join(const Twin& other) {
    clock.join(other.clock);
    std::ranges::transform(numbers, other.numbers, numbers.begin(), std::ranges::max);
  }
};

bool same(const Twin& twin) {
  for (std::size_t i = 0; i < twin.numbers.size(); ++i) {
    if (twin.clock[i] != twin.numbers[i]) return false;
  }
  return true;
}

/// Is a number of the first less than that of the second?
bool less(const Twin& a, const Twin& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    if (a.numbers[i] < b.numbers[i]) return true;
  }
  return false;
}

void compare(const Twin& a, const Twin& b) {
  const VectorClock::Difference found = VectorClock::compare(a.clock, b.clock);
  CHECK(found.less == less(a, b));
  CHECK(found.greater == less(b, a));
}

}  // namespace

TEST_CASE("clocks are set, compared and joined as vectors of numbers are") {
  std::mt19937 random(5);
  for (const std::size_t processes : {1U, 31U, 32U, 33U, 200U}) {
    std::vector<Twin> twins(6, Twin(processes));
    for (int i = 0; i < 400; ++i) {
      Twin& one = twins[random() % twins.size()];
      const Twin other = twins[random() % twins.size()];  // a copy: pages are shared
      switch (random() % 3) {
        case 0: {
          const std::size_t process = random() % processes;
          one.set(process, one.numbers[process] + 1);
          break;
        }
        case 1:
          one.join(other);
          break;
        default:
          one = other;
      }
      CHECK(same(one));
      CHECK(same(other));
      compare(one, other);
    }
  }
}
