#pragma once

// Signals that end the program: SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU. One handler runs all
// clean-ups first. Signals that are ignored when the program starts (nohup) stay ignored.

#include <array>
#include <atomic>
#include <csignal>
#include <string>

namespace schedcc::cli {

/// For work that reports partial results when it is interrupted. While one exists, the first SIGINT
/// or SIGTERM sets `interrupted`, and a later one ends the program; but not within half a second,
/// since `timeout` sends two.
class Interrupts {
 public:
  static inline std::atomic<bool> interrupted = false;
  static_assert(std::atomic<bool>::is_always_lock_free);

  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

/// A file that is removed when a signal ends the program while this exists. Files with a path
/// longer than PATH_MAX, and any beyond 16 at a time, remain.
class RemoveOnSignal {
 public:
  explicit RemoveOnSignal(const std::string& path);
  ~RemoveOnSignal();
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  int slot_ = -1;  ///< in the table that the handler reads
};

/// A process group that is killed when a signal ends the program while this exists; not if there
/// are more than 1024 at a time.
class KillOnSignal {
 public:
  explicit KillOnSignal(int group);
  ~KillOnSignal();
  KillOnSignal(const KillOnSignal&) = delete;
  KillOnSignal& operator=(const KillOnSignal&) = delete;

 private:
  int slot_ = -1;  ///< in the table that the handler reads
};

/// `clean_up` is called when a signal ends the program, from now on; there is one at a time. It
/// calls only async-signal-safe functions.
void run_before_signal_exit(void (*clean_up)() noexcept);

/// From now on the program ends with an error and exit status 2, after all clean-ups, when an input
/// file is cut short while it is read, instead of by SIGBUS.
void end_where_files_shrink();

/// What the program does on signals that faults raise is the same after this as before. MPI
/// libraries handle them from their start on, to print where the fault was. For that they allocate
/// memory: if the fault has left malloc locked, the process waits for ever, and its job with it.
class KeptFaultActions {
 public:
  KeptFaultActions();
  ~KeptFaultActions();
  KeptFaultActions(const KeptFaultActions&) = delete;
  KeptFaultActions& operator=(const KeptFaultActions&) = delete;

 private:
  static constexpr std::array<int, 5> faults{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  std::array<struct sigaction, faults.size()> actions_{};
};

/// Blocks the signals that end the program while this exists.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

  /// Is one pending?
  bool any_pending() const;

 private:
  sigset_t before_{};
};

}  // namespace schedcc::cli
