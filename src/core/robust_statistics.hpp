#pragma once

// Statistics of measured values, some of which may be far off.

#include <cstddef>
#include <functional>
#include <vector>

namespace schedcc {

/// The middle value, or the mean of the two in the middle; of at least one value.
double median(std::vector<double> values);

/// The values in their order, without those further from the median than 3.5 times the median of
/// all such distances, scaled for a normal distribution (Iglewicz, Hoaglin, How to Detect and
/// Handle Outliers, 1993). At least half of the values remain.
std::vector<double> without_outliers(const std::vector<double>& values);

/// A point of a line that is fitted.
struct Point {
  double x, y;
};
/// The median of the slopes between all pairs of points with different x (Theil 1950, Sen 1968); of
/// at least two points.
double median_slope(const std::vector<Point>& points);

/// A figure, and an interval that contains it with a confidence of 95 %.
struct Estimate {
  double value = 0, low = 0, high = 0;
};
/// Figures that `evaluate` computes from several series of values, with intervals by the bootstrap
/// (Efron 1979): it is called for the series, and for 400 resamples of each; the same every time.
std::vector<Estimate> bootstrap(
    const std::vector<std::vector<double>>& series,
    const std::function<std::vector<double>(const std::vector<std::vector<double>>&)>& evaluate);

}  // namespace schedcc
