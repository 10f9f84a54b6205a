#pragma once

// A time limit for programs: a damaged table may wait for a message that no rank sends. A timer
// signal prints what the rank waits for, and ends all processes. SMPI's simulator detects deadlocks
// by itself.

#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "schedcc/mpi/executor.hpp"

namespace schedcc::mpi {

class Watchdog {
 public:
  static constexpr int status = 3;  ///< of the process, after the time limit

  /// 0 seconds: no limit.
  explicit Watchdog(unsigned seconds) {
    seconds_ = seconds;
    executor_ = nullptr;
#ifndef SMPI_H
    struct sigaction action {};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
#endif
  }
  ~Watchdog() { rest(); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Restarts the timer. `executor`: the one being run; nullptr: none.
  static void start(const Executor* executor) {
    executor_ = executor;
    last_words_ = false;
    set(seconds_);
  }
  static void rest() { set(0); }

 private:
  static void set([[maybe_unused]] unsigned seconds) {
#ifndef SMPI_H
    alarm(seconds);
#endif
  }

  /// Text that is written with async-signal-safe functions only.
  class Text {
   public:
    Text& put(const char* text) {
      while (*text != '\0' && length_ < sizeof text_) text_[length_++] = *text++;
      return *this;
    }
    Text& put(std::uint64_t number) {
      char digits[21] = {};
      std::size_t i = sizeof digits - 1;
      do digits[--i] = static_cast<char>('0' + number % 10);
      while ((number /= 10) != 0);
      return put(digits + i);
    }
    void write() const {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_, length_);
    }

   private:
    char text_[256] = {};
    std::size_t length_ = 0;
  };

  static void on_alarm(int) {
    bool sends = false;
    const Message* m = executor_ != nullptr ? executor_->awaited(sends) : nullptr;
    if (m == nullptr && !last_words_) {  // ranks that know what is missing print first
      last_words_ = true;
      set(2);
      return;
    }
    Text text;
    text.put("error: time limit of ").put(std::uint64_t{seconds_}).put(" s: ");
    if (m == nullptr) {
      text.put("a rank waits for the others\n");
    } else {
      text.put("rank ").put(executor_->communicator().rank()).put(", step ").put(m->step);
      text.put(sends ? ": rank " : ": no message comes from rank ").put(m->peer);
      text.put(sends ? " does not receive the message\n" : "\n");
    }
    text.write();
    end();
  }

  /// MPI_Abort passes the status to the launcher; for a process that just exits, MPICH's reports
  /// that of the others, which it kills. MPI calls in a signal handler may hang: then the alarm is
  /// raised again.
  [[noreturn]] static void end() {
    struct sigaction action {};
    action.sa_handler = [](int) { _exit(status); };
    sigaction(SIGALRM, &action, nullptr);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, nullptr);
    set(3);
    abort_all(status);
    _exit(status);
  }

  static inline unsigned seconds_ = 0;
  static inline const Executor* executor_ = nullptr;
  static inline bool last_words_ = false;
};

}  // namespace schedcc::mpi
