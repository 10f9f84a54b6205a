#pragma once

// What the benchmarks of throughput share: processor time, the bandwidth of memory to which figures
// are related, and an output in memory.

#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/format.hpp"

namespace measure {

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least time of `runs` calls.
inline double best(int runs, const std::function<void()>& work) {
  double least = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double start = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

/// Bytes per second that a copy of a large array reads and writes.
inline double memory_bandwidth() {
  constexpr std::size_t size = std::size_t{1} << 28;
  std::vector<char> from(size, 1), to(size, 2);
  const double seconds = best(5, [&] { std::memcpy(to.data(), from.data(), size); });
  return 2.0 * size / seconds;
}

/// Output in memory.
class Buffer : public schedcc::Output {
 public:
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

}  // namespace measure
