#include "cli/signals.hpp"

#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string_view>

#include "cli/commands.hpp"
#include "core/input_text.hpp"

namespace schedcc::cli {

namespace {

constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

/// A file that the handler removes, while `used`.
struct TemporaryFile {
  volatile std::sig_atomic_t used = 0;
  char path[PATH_MAX];
};
TemporaryFile temporary_files[16];

/// The process groups that the handler kills; 0: none.
std::atomic<int> process_groups[1024];
static_assert(std::atomic<int>::is_always_lock_free);

std::atomic<void (*)() noexcept> clean_up_first = nullptr;
static_assert(std::atomic<void (*)() noexcept>::is_always_lock_free);

volatile std::sig_atomic_t deferred = 0;  ///< does an Interrupts exist?
std::atomic<std::int64_t> first = 0;      ///< when the first signal came, in nanoseconds
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
constexpr std::int64_t same_interrupt = 500'000'000;  ///< nanoseconds

/// Sets `interrupted` instead of ending the program, if an Interrupts exists. False: the program
/// must end.
bool defer(int signal) {
  if (deferred == 0 || (signal != SIGINT && signal != SIGTERM)) return false;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  if (Interrupts::interrupted.exchange(true)) return now - first <= same_interrupt;
  first = now;
  return true;
}

/// Calls only async-signal-safe functions.
void clean_up() {
  for (const TemporaryFile& file : temporary_files) {
    if (file.used != 0) ::unlink(file.path);
  }
  for (const std::atomic<int>& group : process_groups) {
    if (const int number = group; number > 0) ::kill(-number, SIGKILL);
  }
  if (const auto first_of_all = clean_up_first.load()) first_of_all();
}

/// Calls only async-signal-safe functions.
void handle(int signal) {
  if (defer(signal)) return;
  clean_up();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void write_error(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

/// Where the cause is not a file that was cut short, the default action ends the program, when the
/// thread repeats what it did.
void handle_bus_error(int signal, siginfo_t* cause, void*) {
  const char* const path = cause->si_code == BUS_ADRERR ? mapped_file(cause->si_addr) : nullptr;
  if (path == nullptr) {
    std::signal(signal, SIG_DFL);
    if (cause->si_code <= 0) std::raise(signal);  // sent by a process
    return;
  }
  static std::atomic_flag ends;
  while (ends.test_and_set()) ::pause();  // another thread ends the program
  clean_up();
  write_error(path);
  write_error(": error: the file was cut short while it was read\n");
  ::_exit(bad_input);
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
  deferred = 1;
}
Interrupts::~Interrupts() { deferred = 0; }

RemoveOnSignal::RemoveOnSignal(const std::string& path) {
  install();
  if (path.size() >= sizeof temporary_files[0].path) return;
  for (int i = 0; i < static_cast<int>(std::size(temporary_files)); ++i) {
    if (temporary_files[i].used != 0) continue;
    std::memcpy(temporary_files[i].path, path.c_str(), path.size() + 1);
    temporary_files[i].used = 1;
    slot_ = i;
    return;
  }
}
RemoveOnSignal::~RemoveOnSignal() {
  if (slot_ >= 0) temporary_files[slot_].used = 0;
}

KillOnSignal::KillOnSignal(int group) {
  install();
  for (int i = 0; i < static_cast<int>(std::size(process_groups)); ++i) {
    int none = 0;
    if (!process_groups[i].compare_exchange_strong(none, group)) continue;
    slot_ = i;
    return;
  }
}
KillOnSignal::~KillOnSignal() {
  if (slot_ >= 0) process_groups[slot_] = 0;
}

KeptFaultActions::KeptFaultActions() {
  for (std::size_t i = 0; i < faults.size(); ++i) ::sigaction(faults[i], nullptr, &actions_[i]);
}
KeptFaultActions::~KeptFaultActions() {
  for (std::size_t i = 0; i < faults.size(); ++i) ::sigaction(faults[i], &actions_[i], nullptr);
}

void end_where_files_shrink() {
  struct sigaction action {};
  action.sa_sigaction = handle_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

void run_before_signal_exit(void (*clean_up)() noexcept) {
  clean_up_first = clean_up;
  install();
}

SignalBlocker::SignalBlocker() {
  sigset_t held{};
  sigemptyset(&held);
  for (const int signal : ending) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}
SignalBlocker::~SignalBlocker() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool SignalBlocker::any_pending() const {
  sigset_t waiting;
  ::sigpending(&waiting);
  for (const int signal : ending) {
    if (sigismember(&waiting, signal) == 1) return true;
  }
  return false;
}

}  // namespace schedcc::cli
