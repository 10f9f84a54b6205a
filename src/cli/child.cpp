#include "cli/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>

#include "cli/signals.hpp"
#include "core/memory.hpp"
#include "core/printable.hpp"

extern char** environ;

namespace schedcc::cli {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t max_errors = std::size_t{1} << 16;
/// What the dynamic loader says of a library that it cannot preload begins with.
constexpr std::string_view of_loader = "ERROR: ld.so:";
constexpr std::size_t first_output = std::size_t{1} << 16;

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

/// The end of a pipe that is read, and until the program runs, the end that it writes to.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail(errno);
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() { close(1); }
  bool open() const { return ends_[0] >= 0; }

  /// Appends what is there, at most `most` bytes; at the end, closes.
  void read(std::string& text, std::size_t most = std::size_t{1} << 16) {
    std::array<char, 1 << 16> piece;
    const ssize_t n = ::read(reading(), piece.data(), std::min(piece.size(), most));
    if (n > 0) text.append(piece.data(), static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) close(0);
  }

 private:
  void close(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

/// A program that was started, and its process group.
class Child {
 public:
  Child(const std::vector<std::string>& words, Pipe& output, Pipe& errors) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const SignalBlocker held;  // until it would be killed
    if (const int error = start(arguments, output, errors)) fail(error);
    group_.emplace(pid_);
    output.close_writing();
    errors.close_writing();
  }
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Has it ended? It is not waited for.
  bool ended() const {
    siginfo_t info{};
    return pid_ < 0 ||
           (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid != 0);
  }

  /// Kills what is left of the group, and returns the status as waitpid() does.
  int kill() {
    if (pid_ < 0) return status_;
    ::kill(-pid_, SIGKILL);  // its number is not used again before it is waited for
    group_.reset();
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status_;
  }

 private:
  int start(const std::vector<char*>& arguments, const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output.writing(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, errors.writing(), STDERR_FILENO);
    sigset_t none{}, usual{};
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int ignored : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, ignored);  // by schedcc
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const OriginalLimit its_own;
    const int error =
        ::posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error == 0) pid_ = pid;
    return error;
  }

  pid_t pid_ = -1;
  int status_ = 0;
  std::optional<KillOnSignal> group_;
};

/// Reads what a program prints until it has ended or must end.
class Listener {
 public:
  Listener(Child& child, Pipe& output, Pipe& errors, const ChildLimits& limits)
      : child_(child),
        output_(output),
        errors_(errors),
        limits_(limits),
        end_(SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                      std::chrono::duration<double>(limits.seconds))) {}

  ChildEnd run() {
    while (!stopped() && (output_.open() || errors_.open())) {
      // A process that it left behind may keep the pipes open.
      const bool ended = child_.ended();
      if (!listen(ended ? 0 : 50) && ended) break;
    }
    while (!stopped() && !child_.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int status = child_.kill();
    if (WIFEXITED(status)) result_.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    return std::move(result_);
  }

 private:
  bool stopped() {
    const auto now = SteadyClock::now();
    if (now >= end_) result_.timed_out = true;
    if (limits_.alive && now >= next_look_) {
      next_look_ = now + std::chrono::milliseconds(200);
      if (!limits_.alive()) result_.unwanted = true;
    }
    return result_.timed_out || result_.too_long || result_.unwanted;
  }

  /// Reads what comes within some time; false: nothing came.
  bool listen(int milliseconds) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - SteadyClock::now()).count();
    std::array<pollfd, 2> pipes{pollfd{output_.reading(), POLLIN, 0},
                                pollfd{errors_.reading(), POLLIN, 0}};
    const auto wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, milliseconds));
    if (::poll(pipes.data(), pipes.size(), wait) <= 0) return false;
    if (pipes[0].revents != 0) read_output();
    if (pipes[1].revents != 0) read_errors();
    return true;
  }

  void read_output() {
    output_.read(result_.output);
    result_.too_long = result_.output.size() > limits_.output;
    if (result_.output.size() < first_output || asked_) return;
    asked_ = true;
    result_.unwanted = limits_.wanted && !limits_.wanted(result_.output);
  }

  void read_errors() {
    std::string& errors = result_.errors;
    errors_.read(errors);
    if (errors.size() > 2 * max_errors) errors.erase(0, errors.size() - max_errors);
  }

  Child& child_;
  Pipe& output_;
  Pipe& errors_;
  const ChildLimits& limits_;
  SteadyClock::time_point end_;
  SteadyClock::time_point next_look_{};
  ChildEnd result_;
  bool asked_ = false;
};

}  // namespace

std::string first_message(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool has_letters =
        std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
    if (has_letters && !line.starts_with(of_loader)) return last_line(line);
  }
  return {};
}

std::string last_line(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t last = text.find_last_not_of(space);
  if (last == std::string_view::npos) return {};
  text = text.substr(0, last + 1);
  const std::size_t before = text.find_last_of('\n');
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  return printable(text, 300);
}

ChildEnd run_child(const std::vector<std::string>& words, const ChildLimits& limits) {
  Pipe output, errors;
  Child child(words, output, errors);
  return Listener(child, output, errors, limits).run();
}

}  // namespace schedcc::cli
