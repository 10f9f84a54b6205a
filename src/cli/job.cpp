#include "cli/job.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "check/crew.hpp"
#include "check/threading.hpp"
#include "cli/output.hpp"
#include "cli/own_library.hpp"
#include "cli/signals.hpp"
#include "cli/usage_error.hpp"
#include "core/input_text.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

namespace {

/// How the launcher of an MPI library tells a process where in a job it is.
struct Launcher {
  const char* rank;  ///< variables of the environment
  const char* size;
  const char* library;
};
constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
                                  {"PMI_RANK", "PMI_SIZE", "mpich"}};

/// Names the library instead, or is `none`.
constexpr const char* library_variable = "SCHEDCC_JOB";

std::optional<std::size_t> number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::size_t value = 0;
  const std::string_view digits = text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The launcher of this process, if there are several.
const Launcher* launcher() {
  const auto found = std::ranges::find_if(
      launchers, [](const Launcher& l) { return number(l.size).value_or(1) > 1; });
  return found == std::end(launchers) ? nullptr : found;
}

[[noreturn]] void fail(const std::string& file, const std::string& why) {
  throw InputError(
      fmt::format("this process is one of a job, for which {} cannot be used: {}; "
                  "{}=none lets each process work alone",
                  file, why, library_variable));
}

std::string library_file(const Launcher& launcher) {
  const std::string name = fmt::format("libschedcc-job-{}.so", launcher.library);
  if (const auto file = own_library(name)) return *file;
  fail(name,
       fmt::format("it is not where schedcc is, nor where it is installed; it is built where there "
                   "is that MPI library (Debian: package schedcc-job-{})",
                   launcher.library));
}

/// The library stays loaded; its own libraries load others, which have to find it.
const job::Library& load(const std::string& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) fail(file, ::dlerror());
  const auto* const library =
      static_cast<const job::Library*>(::dlsym(handle, job::library_symbol));
  if (library == nullptr || library->version != job::Library::current_version)
    fail(file, "it is of another version of schedcc");
  return *library;
}

/// The first byte of what a process answers.
constexpr char given = 'g', failed = 'f';

/// Throws the error with which a process has ended.
[[noreturn]] void rethrow(std::size_t process, int status, const std::string& message) {
  const std::string text = fmt::format("process {} of the job: {}", process,
                                       message.empty() ? "it ended early" : message);
  if (status == undecided) throw LimitError(text);
  if (status == internal_error) throw InternalError(text);
  throw InputError(text);
}

/// A file in memory with this content is standard input from now on.
void become_standard_input(const std::string& content) {
  const int fd = ::memfd_create("standard input", 0);
  if (fd < 0)
    throw OutputError(fmt::format("cannot keep standard input: {}", std::strerror(errno)));
  write_all(fd, content, "a file in memory");
  ::lseek(fd, 0, SEEK_SET);
  ::dup2(fd, STDIN_FILENO);
  ::close(fd);
}

}  // namespace

void Job::join(const std::vector<std::string>& arguments) {
  constexpr std::string_view shared[] = {"compile", "sweep", "verify"};
  if (arguments.empty() || std::ranges::find(shared, arguments.front()) == std::end(shared)) return;
  const Launcher* const found = launcher();
  const char* const named = std::getenv(library_variable);
  if (named != nullptr ? std::string_view(named) == "none" : found == nullptr) return;
  try {
    const KeptFaultActions as_alone;
    current_.reset(new Job(load(named != nullptr ? named : library_file(*found))));
  } catch (const InputError&) {
    if (found == nullptr || number(found->rank).value_or(0) == 0) throw;
    std::exit(ok);  // one message, and one status other than 0, are enough
  }
  if (current_->size_ == 1) {
    current_->library_.leave();
    current_ = nullptr;
  } else {
    // What the command starts, such as a generator that runs schedcc, is no process of the job.
    ::setenv(library_variable, "none", 1);
    current_->require_same(arguments);
  }
}

void Job::require_same(const std::vector<std::string>& arguments) {
  std::string own = SCHEDCC_VERSION;
  for (const std::string& argument : arguments) own += argument + '\0';
  const auto first = share([&] { return own; });
  if (first && *first != own) {
    throw InputError(
        "this command, or the version of schedcc, differs from that of process 0; all processes "
        "take the same arguments");
  }
  gather({});
  // No process begins before all have been compared.
  if (!share([] { return std::string(); })) throw InputError("process 0 has ended");
}

bool Job::launched() {
  return std::ranges::any_of(launchers,
                             [](const Launcher& l) { return number(l.rank).has_value(); });
}

Job::Job(const job::Library& library) : library_(library) {
  library_.join(&rank_, &size_);
  if (rank_ != 0) be_silent();
}

void Job::be_silent() const {
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

void Job::note_error(const SourceLocation& location, const std::string& message) {
  if (current_ == nullptr) return;
  current_->error_ =
      location.file.empty() ? message : fmt::format("{}: {}", location.file, message);
}

int Job::leave(int status) {
  if (current_ == nullptr) return status;
  current_->status_ = status;
  if (current_->rank_ == 0) {
    current_->order_all({Kind::end, static_cast<std::uint64_t>(status)});
  } else {
    status = current_->wait_for_end();
  }
  current_->library_.leave();
  return status;
}

int Job::wait_for_end() {
  while (true) {
    const Order order = next_order();
    if (order.kind == Kind::end) return static_cast<int>(order.number);
    if (order.kind == Kind::give) answer_failed();
    if (order.kind == Kind::take) receive(0);
  }
}

std::vector<std::string> Job::gather(std::string own) {
  if (rank_ != 0) {
    while (true) {
      const Order order = next_order();
      if (order.kind == Kind::end || order.number > task_) {
        pending_ = order;
        return {};
      }
      if (order.number == task_) {
        send(0, given + own);
        return {};
      }
      answer_failed();  // of a task that this process has not done
    }
  }
  order_all({Kind::give, task_});
  std::vector<std::string> all(size_);
  for (std::size_t i = 1; i < size_; ++i) all[i] = receive(i);
  for (std::size_t i = 1; i < size_; ++i) {
    const char kind = all[i].front();
    all[i].erase(0, 1);
    if (kind == failed) rethrow(i, all[i].front(), all[i].substr(1));
  }
  all[0] = std::move(own);
  return all;
}

std::vector<std::string> Job::exchange(std::string own) {
  const std::vector<std::string> all = gather(std::move(own));
  const auto packed = share([&] {
    std::string result;
    for (const std::string& one : all) {
      const std::uint64_t size = one.size();
      result += bytes_of(std::span<const std::uint64_t>(&size, 1)) + one;
    }
    return result;
  });
  if (!packed) throw TeamEnded();
  std::vector<std::string> result;
  for (std::string_view bytes = *packed; !bytes.empty();) {
    const std::uint64_t size = take<std::uint64_t>(bytes, 1).front();
    result.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return result;
}

void Job::answer_failed() const {
  send(0, std::string{failed, static_cast<char>(status_)} + error_);
}

std::optional<std::string> Job::share(const std::function<std::string()>& own) {
  if (rank_ == 0) {
    std::string content = own();
    for (std::size_t i = 1; i < size_; ++i) {
      order(i, {Kind::take, 0});
      send(i, content);
    }
    return content;
  }
  const Order order = next_order();
  if (order.kind == Kind::take) return receive(0);
  pending_ = order;
  return std::nullopt;
}

void Job::share_standard_input() {
  const auto content = share([] { return std::string(InputText::open("-").view()); });
  if (content) become_standard_input(*content);
}

Job::Order Job::next_order() {
  if (pending_) return *std::exchange(pending_, std::nullopt);
  Order order{};
  library_.receive(0, &order, sizeof order);
  return order;
}

void Job::order(std::size_t process, const Order& order) const {
  library_.send(process, &order, sizeof order);
}

void Job::order_all(const Order& order) const {
  for (std::size_t i = 1; i < size_; ++i) this->order(i, order);
}

void Job::send(std::size_t to, const std::string& bytes) const {
  const std::uint64_t size = bytes.size();
  library_.send(to, &size, sizeof size);
  library_.send(to, bytes.data(), bytes.size());
}

std::string Job::receive(std::size_t from) const {
  std::uint64_t size = 0;
  library_.receive(from, &size, sizeof size);
  std::string bytes(size, '\0');
  library_.receive(from, bytes.data(), bytes.size());
  return bytes;
}

bool Job::has_ended() {
  if (rank_ == 0) return false;
  if (!pending_ && library_.is_waiting(0)) pending_ = next_order();
  return pending_ && pending_->kind == Kind::end;
}

Report check_together(const Source& source, const Machine& machine, const CheckOptions& options) {
  Job* const job = Job::current();
  if (job == nullptr) return check(source, machine, options);
  CheckOptions watched = options;
  watched.progress = [&](std::uint64_t transfers) {
    if (job->has_ended()) throw Abandoned();
    if (options.progress) options.progress(transfers);
  };
  return check_together(source, machine, watched, *job);
}

void share_input(const GeneralOptions& general, const CheckOptions& options,
                 bool reads_standard_input) {
  Job* const job = Job::current();
  if (job == nullptr) return;
  if (options.jobs > 1 && !general.quiet) {
    print_error(fmt::format(
        "schedcc: note: --jobs is not used: each of the {} processes of the job checks by one "
        "thread; start as many as there are processors\n",
        job->size()));
  }
  if (reads_standard_input) job->share_standard_input();
}

}  // namespace schedcc::cli
