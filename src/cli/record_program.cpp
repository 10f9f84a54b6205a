#include "cli/record_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/own_library.hpp"
#include "cli/signals.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr double most_seconds = 1e9;
constexpr std::size_t most_output = std::size_t{1} << 28;
/// Launching many processes takes longer than their messages.
constexpr double least_launch_seconds = 60;
constexpr std::uintmax_t least_memory = std::uintmax_t{1} << 30;

/// A temporary folder for the logs.
class LogFolder {
 public:
  LogFolder() {
    path_ = fmt::format("{}/schedcc-record-XXXXXX", parent());
    if (::mkdtemp(path_.data()) == nullptr)
      throw OutputError(fmt::format("cannot create a folder for the logs of the ranks, {}: {}",
                                    path_, std::strerror(errno)));
  }
  ~LogFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  /// $TMPDIR, or else memory, if it has space: pages of files on disks take longer to write.
  static std::string parent() {
    if (const char* const folder = std::getenv("TMPDIR")) return folder;
    std::error_code error;
    const fs::space_info memory = fs::space("/dev/shm", error);
    const bool usable =
        !error && memory.available >= least_memory && ::access("/dev/shm", W_OK) == 0;
    return usable ? "/dev/shm" : "/tmp";
  }

  std::string path_;
};

/// An environment variable of the programs that are started while this exists.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  bool had_;
  std::string before_;
};

/// Watches the logs of a folder.
class Activity {
 public:
  Activity(std::string folder, double seconds)
      : folder_(std::move(folder)), seconds_(seconds), since_(SteadyClock::now()) {}

  /// Has any process done something lately?
  bool any() {
    std::uint64_t done = 0, logs = 0, ranks = 1;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      record::State state{};
      if (!record::read_state(entry.path().string(), state)) continue;
      ++logs;
      ranks = static_cast<std::uint64_t>(std::max(state.ranks, 1));
      done += state.calls + state.used + state.finalized + state.exited;
    }
    const auto now = SteadyClock::now();
    if (done + logs != last_) {
      last_ = done + logs;
      since_ = now;
    }
    const double limit = logs < ranks ? std::max(seconds_, least_launch_seconds) : seconds_;
    return std::chrono::duration<double>(now - since_).count() < limit;
  }

 private:
  std::string folder_;
  double seconds_;
  SteadyClock::time_point since_;
  std::uint64_t last_ = 0;
};

/// Ends processes that the launcher left behind. Each keeps a lock on its log, which names it.
void kill_remaining(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const int fd = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    if (::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
      ::kill(lock.l_pid, SIGKILL);
    ::close(fd);
  }
}

}  // namespace

std::string recorder_file(const RecordOptions& options) {
  constexpr const char* name = "libschedcc-record.so";
  if (options.recorder) {
    std::error_code ignored;
    if (!fs::exists(*options.recorder, ignored))
      throw InputError({*options.recorder}, "there is no such file");
    return fs::absolute(*options.recorder).string();
  }
  if (const auto file = own_library(name)) return *file;
  throw InputError(
      fmt::format("there is no {} where schedcc is, nor where it is installed: it is built where "
                  "there is MPI (Debian: package schedcc-mpirun); --recorder names another one",
                  name));
}

namespace {

RecordedRun run_until_interrupted(const std::vector<std::string>& command,
                                  const std::string& recorder, double seconds_without_progress) {
  const Interrupts interrupts;
  const LogFolder folder;
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string also = preloaded != nullptr ? fmt::format(":{}", preloaded) : "";
  const Variable preload("LD_PRELOAD", recorder + also);
  const Variable logs(record::folder_variable, folder.path());
  // More processes than processors. Other launchers do not read these.
  const Variable oversubscribe("OMPI_MCA_rmaps_base_oversubscribe", "1");
  const Variable yield("OMPI_MCA_mpi_yield_when_idle", "1");
  RecordedRun run;
  Activity activity(folder.path(), seconds_without_progress);
  ChildLimits limits{most_seconds, most_output};
  limits.alive = [&] {
    run.stalled = !activity.any();
    return !run.stalled && !Interrupts::interrupted;
  };
  try {
    run.end = run_child(command, limits);
  } catch (const std::system_error& error) {
    kill_remaining(folder.path());
    throw UsageError(fmt::format("cannot start '{}': {}", command.front(), error.code().message()));
  }
  kill_remaining(folder.path());
  if (!Interrupts::interrupted) run.logs = record::read_logs(folder.path());
  return run;
}

}  // namespace

RecordedRun run_recorded(const std::vector<std::string>& command, const std::string& recorder,
                         double seconds_without_progress) {
  RecordedRun run = run_until_interrupted(command, recorder, seconds_without_progress);
  // Now that neither processes nor logs remain, the signal ends schedcc.
  if (Interrupts::interrupted) std::raise(SIGTERM);
  return run;
}

}  // namespace schedcc::cli
