#pragma once

// Ctrl-C for work that has something to say when it is stopped.

#include <atomic>
#include <csignal>
#include <iterator>

namespace schedcc::cli {

/// While it exists, the first Ctrl-C (or termination) sets `interrupted`: what is known by then is
/// reported. The second one ends the program.
class Interrupts {
 public:
  static inline std::atomic<bool> interrupted = false;
  static_assert(std::atomic<bool>::is_always_lock_free);

  Interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &action, &old_[i]);
  }
  ~Interrupts() {
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &old_[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM};
  struct sigaction old_[std::size(signals)]{};
};

}  // namespace schedcc::cli
