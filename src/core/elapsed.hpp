#pragma once

// Time by the clock.

#include <chrono>

namespace schedcc {

/// Seconds from then until now.
inline double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace schedcc
