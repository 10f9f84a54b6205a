#include "cli/signals.hpp"

#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>

namespace schedcc::cli {

namespace {

constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP};

/// A file that the handler removes, while `there`.
struct Doomed {
  volatile std::sig_atomic_t there = 0;
  char path[PATH_MAX];
};
Doomed doomed[16];

volatile std::sig_atomic_t listening = 0;  ///< does an Interrupts exist?
std::atomic<std::int64_t> first = 0;       ///< when the first signal came, in nanoseconds
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
constexpr std::int64_t together = 500'000'000;

/// Is it to be reported rather than obeyed?
bool told(int signal) {
  if (listening == 0 || signal == SIGHUP) return false;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  if (Interrupts::interrupted.exchange(true)) return now - first <= together;
  first = now;
  return true;
}

/// Calls only what a signal handler may.
void handle(int signal) {
  if (told(signal)) return;
  for (const Doomed& file : doomed) {
    if (file.there != 0) ::unlink(file.path);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void install() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (const int signal : ending) sigaddset(&action.sa_mask, signal);
  for (const int signal : ending) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Interrupts::Interrupts() {
  install();
  listening = 1;
}
Interrupts::~Interrupts() { listening = 0; }

RemovedBySignal::RemovedBySignal(const std::string& path) {
  install();
  if (path.size() >= sizeof doomed[0].path) return;
  for (int i = 0; i < static_cast<int>(std::size(doomed)); ++i) {
    if (doomed[i].there != 0) continue;
    std::memcpy(doomed[i].path, path.c_str(), path.size() + 1);
    doomed[i].there = 1;
    place_ = i;
    return;
  }
}
RemovedBySignal::~RemovedBySignal() {
  if (place_ >= 0) doomed[place_].there = 0;
}

SignalsHeld::SignalsHeld() {
  sigset_t held{};
  sigemptyset(&held);
  for (const int signal : ending) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}
SignalsHeld::~SignalsHeld() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool SignalsHeld::any_waits() const {
  sigset_t waiting;
  ::sigpending(&waiting);
  for (const int signal : ending) {
    if (sigismember(&waiting, signal) == 1) return true;
  }
  return false;
}

}  // namespace schedcc::cli
