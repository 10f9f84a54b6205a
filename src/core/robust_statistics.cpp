#include "core/robust_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace schedcc {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> without_outliers(const std::vector<double>& values) {
  // The deviation of a normal distribution is 1.4826 times the median distance.
  constexpr double outlier_cutoff = 3.5 * 1.4826;
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  const double limit =
      outlier_cutoff * median(distances) + 1e-9 * std::abs(middle);  // and rounding errors
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result),
                       [&](double value) { return std::abs(value - middle) <= limit; });
  return result;
}

double median_slope(const std::vector<Point>& points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (points[i].x != points[j].x)
        slopes.push_back((points[i].y - points[j].y) / (points[i].x - points[j].x));
    }
  }
  return median(std::move(slopes));
}

std::vector<Estimate> bootstrap(
    const std::vector<std::vector<double>>& series,
    const std::function<std::vector<double>(const std::vector<std::vector<double>>&)>& evaluate) {
  constexpr std::size_t resamples = 400, tail = resamples / 40;  // 2.5 % on either side
  const std::vector<double> values = evaluate(series);
  std::vector<std::vector<double>> all(values.size());
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> drawn = series;
  for (std::size_t n = 0; n < resamples; ++n) {
    for (std::size_t s = 0; s < series.size(); ++s) {
      // Not a std distribution, which libraries implement differently.
      for (double& value : drawn[s]) value = series[s][random() % series[s].size()];
    }
    const std::vector<double> again = evaluate(drawn);
    for (std::size_t i = 0; i < values.size(); ++i) all[i].push_back(again[i]);
  }
  std::vector<Estimate> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::ranges::sort(all[i]);
    result.push_back({values[i], std::min(values[i], all[i][tail]),
                      std::max(values[i], all[i][resamples - 1 - tail])});
  }
  return result;
}

}  // namespace schedcc
