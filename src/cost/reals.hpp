#pragma once

// Arithmetic of times and formulas, in floating point.

#include <cstdint>

namespace schedcc {

inline double to_double(std::uint64_t n) { return static_cast<double>(n); }
inline double square(double x) { return x * x; }

}  // namespace schedcc
