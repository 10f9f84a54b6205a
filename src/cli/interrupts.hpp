#pragma once

// Ctrl-C for work that has something to say when it is stopped.

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iterator>

namespace schedcc::cli {

/// While it exists, the first Ctrl-C (or termination) sets `interrupted`: what is known by then is
/// reported. A later one ends the program; not one that comes along with the first, as `timeout`
/// sends two.
class Interrupts {
 public:
  static inline std::atomic<bool> interrupted = false;
  static_assert(std::atomic<bool>::is_always_lock_free);

  Interrupts() {
    struct sigaction action {};
    action.sa_handler = take;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &action, &old[i]);
  }
  ~Interrupts() {
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &old[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM};
  static inline struct sigaction old[std::size(signals)]{};
  static constexpr std::int64_t together = 500'000'000;  ///< nanoseconds
  static inline std::atomic<std::int64_t> first = 0;     ///< when the first one came
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  /// Calls only what a signal handler may.
  static void take(int signal) {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
    if (!interrupted.exchange(true)) {
      first = now;
    } else if (now - first > together) {
      for (std::size_t i = 0; i < std::size(signals); ++i)
        ::sigaction(signals[i], &old[i], nullptr);
      ::raise(signal);
    }
  }
};

}  // namespace schedcc::cli
