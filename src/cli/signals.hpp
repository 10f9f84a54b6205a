#pragma once

// The signals that would end the program: Ctrl-C, termination, a terminal that is gone. One handler
// serves all who want something before the end; what is ignored from the start (nohup) stays so.

#include <atomic>
#include <csignal>
#include <string>

namespace schedcc::cli {

/// For work that has something to say when it is stopped. While one exists, the first Ctrl-C or
/// termination sets `interrupted`: what is known by then is reported. A later one ends the program;
/// not one that comes along with the first, as `timeout` sends two.
class Interrupts {
 public:
  static inline std::atomic<bool> interrupted = false;
  static_assert(std::atomic<bool>::is_always_lock_free);

  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

/// A file that is removed when a signal ends the program while this exists. Of a path longer than
/// the system's limit, or of more than 16 files at a time, one remains.
class RemovedBySignal {
 public:
  explicit RemovedBySignal(const std::string& path);
  ~RemovedBySignal();
  RemovedBySignal(const RemovedBySignal&) = delete;
  RemovedBySignal& operator=(const RemovedBySignal&) = delete;

 private:
  int place_ = -1;  ///< in a table that the handler reads
};

/// Signals that would end the program wait while this exists.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  /// Does one wait already?
  bool any_waits() const;

 private:
  sigset_t before_{};
};

}  // namespace schedcc::cli
