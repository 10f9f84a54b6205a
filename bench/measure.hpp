#pragma once

// What the benchmarks of throughput share: processor time, the bandwidth of memory to which figures
// are related, processes of their own, and an output in memory.

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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

/// What a process of its own has found, and the most memory that it used.
template <typename Result>
struct InChild {
  Result result;
  double megabytes;
};

/// Calls `work`, which returns plain data, in a process of its own; none if that fails.
template <typename Work>
auto in_child(const Work& work) -> std::optional<InChild<decltype(work())>> {
  using Result = decltype(work());
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Result result = work();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  Result result{};
  const ssize_t got = read(ends[0], &result, sizeof result);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (got != sizeof result || status != 0) return std::nullopt;
  return InChild<Result>{result, static_cast<double>(usage.ru_maxrss) / 1024};
}

/// Output in memory.
class Buffer : public schedcc::Output {
 public:
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

}  // namespace measure
