#pragma once

#include <csignal>

namespace schedcc::cli {

/// Signals that would end the program wait while this exists.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, signal);
    ::sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~SignalsHeld() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  /// Does one wait already?
  bool any_waits() const {
    sigset_t waiting;
    ::sigpending(&waiting);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (sigismember(&waiting, signal) == 1) return true;
    }
    return false;
  }

 private:
  sigset_t held_{}, before_{};
};

}  // namespace schedcc::cli
