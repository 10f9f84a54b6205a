#pragma once

// The synchronous time of a schedule as a function of the size of its chunks, for models in which
// each message of a step takes a + b x seconds with chunks of x bytes, whatever x is: a step takes
// the largest of them, and the whole is a sum of convex functions, each of a few straight lines.

#include <map>
#include <span>
#include <vector>

#include "schedcc/units.hpp"

namespace schedcc {

class TimeProfile {
 public:
  /// Adds a step whose messages take these times, alpha + beta x; at least one. Returns those that
  /// no other is above everywhere, which are enough; valid until the next call.
  std::span<const LinkTime> add(std::span<const LinkTime> messages);
  /// Adds a constant.
  void add(double seconds) { start_ += seconds; }
  /// The time with chunks of x >= 0 bytes.
  double at(double x) const;

 private:
  double start_ = 0, slope_ = 0;    ///< at x = 0
  std::map<double, double> bends_;  ///< how much steeper it becomes at these x
  std::vector<LinkTime> highest_;   ///< of a step: lines that no other is above everywhere
};

}  // namespace schedcc
