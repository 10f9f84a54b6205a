// Robust statistics: against known distributions with a third of the values far off.

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "core/robust_statistics.hpp"
#include "random_plans.hpp"

using namespace schedcc;
using agreement::Random;

namespace {

/// About 1, with so many of them far above.
std::vector<double> noisy(std::size_t n, std::size_t outliers, Random& random) {
  std::vector<double> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(1 + 0.001 * (static_cast<double>(random.below(2001)) - 1000) / 1000);
  for (std::size_t i = 0; i < outliers; ++i)
    result[random.below(static_cast<std::uint32_t>(n))] = 5.0 + random.below(100);
  return result;
}

std::vector<double> mean(const std::vector<std::vector<double>>& series) {
  double sum = 0;
  for (const double value : series[0]) sum += value;
  return {sum / static_cast<double>(series[0].size())};
}

}  // namespace

TEST_CASE("the median is the middle of the sorted values") {
  Random random(1);
  for (std::size_t n = 1; n < 30; ++n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(random.below(10));
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    CHECK(median(values) == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
  }
}

TEST_CASE("outliers are left out, and nothing else") {
  Random random(2);
  for (const std::size_t n : {9u, 30u, 101u}) {
    const std::vector<double> all = noisy(n, n / 3, random);
    const std::vector<double> kept = without_outliers(all);
    CHECK(std::ranges::all_of(kept, [](double value) { return value < 2; }));
    CHECK(kept.size() * 2 >= n);
    CHECK(std::abs(median(kept) - 1) <= 0.001);
  }
  CHECK(without_outliers({2, 2, 2}) == std::vector<double>{2, 2, 2});
  CHECK(without_outliers({2, 2, 2, 9}) == std::vector<double>{2, 2, 2});
  CHECK(without_outliers({7}) == std::vector<double>{7});
}

TEST_CASE("the median slope is that of a line of which a fifth of the points are wrong") {
  Random random(3);
  std::vector<Point> points;
  for (int i = 0; i < 20; ++i) points.push_back({double(i * i), 3.0 - 0.5 * i * i});
  for (int i = 0; i < 4; ++i) points[random.below(20)].y += 1000;
  CHECK(std::abs(median_slope(points) + 0.5) < 1e-12);
  CHECK(median_slope({{0, 1}, {0, 5}, {2, 2}}) == (0.5 - 1.5) / 2);
}

TEST_CASE("about 19 in 20 intervals of a bootstrap contain the true figure") {
  Random random(4);
  std::size_t contained = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<double> values;
    for (int i = 0; i < 50; ++i) values.push_back(random.below(1001));
    const Estimate own = bootstrap({values}, mean).front();
    contained += own.low <= 500 && 500 <= own.high ? 1 : 0;
  }
  CHECK(contained >= 176);
  CHECK(contained <= 198);
}

TEST_CASE("the interval of a bootstrap contains the estimate, and narrows with more values") {
  Random random(4);
  double before = HUGE_VAL;
  for (const std::size_t n : {10u, 100u, 1000u}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(random.below(1000));
    const Estimate own = bootstrap({values}, mean).front();
    CHECK(own.low <= own.value);
    CHECK(own.value <= own.high);
    CHECK(own.high - own.low < before);
    before = own.high - own.low;
    // The same every time.
    CHECK(bootstrap({values}, mean).front().low == own.low);
  }
}
