#include "cli/sweep_state.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "cli/job.hpp"
#include "cli/number_list.hpp"
#include "cli/output.hpp"
#include "cli/sweep_header.hpp"
#include "cli/usage_error.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

/// Places of the file that processes lock, beyond whatever it holds: for the sweep that uses it,
/// and for the process that appends. Locks end with their process.
enum class Place : std::uint64_t { sweep = std::uint64_t{1} << 61, append };

/// `command`: F_SETLKW waits for the place; F_SETLK does not: false if another process has it.
/// Where there are no locks, everything is free.
bool lock_place(int fd, Place place, int command) {
  struct flock region {};
  region.l_type = F_WRLCK;
  region.l_whence = SEEK_SET;
  region.l_start = static_cast<off_t>(place);
  region.l_len = 1;
  while (::fcntl(fd, command, &region) != 0) {
    if (errno != EINTR) return errno != EACCES && errno != EAGAIN;
  }
  return true;
}

/// While it exists, no other process appends, and what others have appended is seen, also where
/// they are on other machines.
class AppendLock {
 public:
  explicit AppendLock(int fd) : fd_(fd) { lock_place(fd_, Place::append, F_SETLKW); }
  ~AppendLock() {
    struct flock region {};
    region.l_type = F_UNLCK;
    region.l_whence = SEEK_SET;
    region.l_start = static_cast<off_t>(Place::append);
    region.l_len = 1;
    ::fcntl(fd_, F_SETLK, &region);
  }
  AppendLock(const AppendLock&) = delete;
  AppendLock& operator=(const AppendLock&) = delete;

 private:
  int fd_;
};

/// Is the checksum of the header that the lines begin with that of another text? The last of the
/// lines may be a part of one.
bool has_damaged_header(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string line = lines[i] + '\n';
    if (line.starts_with("checksum ")) return line != header_end(text);
    text += line;
  }
  return false;
}

/// What is wrong with a line of a header, which should be another one.
std::string difference(std::size_t index, const std::string& found, const std::string& right,
                       bool damaged) {
  const std::string shown = printable(found, 200);
  if (index == 0) return fmt::format("this is not the state of a sweep: '{}'", shown);
  if (damaged)
    return fmt::format("the file is damaged: this line is '{}', not '{}'", shown,
                       printable(right, 200));
  if (index == 1)
    return fmt::format("this is the state of a sweep by another schedcc: '{}', not '{}'", shown,
                       right);
  return fmt::format(
      "this is the state of another sweep: '{}', not '{}'; --resume takes the options with which "
      "it was begun",
      shown, printable(right, 200));
}

}  // namespace

SweepState::SweepState(std::string path, std::string header,
                       const std::vector<std::uint64_t>& sizes, Job* job)
    : path_(std::move(path)), header_(std::move(header)), judged_(sizes.size()) {
  if (is_standard_output(path_))
    throw UsageError("--resume needs a file that can be read again, not standard output");
  if (job == nullptr) {
    take(begin(), sizes);
    return;
  }
  const auto text = job->share([&] { return begin(); });
  if (!text) return;  // process 0 has ended
  take(*text, sizes);
  if (job->rank() == 0) return;
  open(0);
  if (read(0, header_.size()) != header_)
    throw InputError({path_, 0, 0}, "this is another file than that of process 0");
}

SweepState::~SweepState() {
  if (fd_ >= 0) ::close(fd_);
}

void SweepState::open(int flags) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
  if (fd_ < 0) throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

/// Returns the file's text, which begins with the header.
std::string SweepState::begin() {
  open(O_CREAT);
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode))
    throw InputError({path_, 0, 0}, "this is not a regular file, so that it cannot keep a state");
  if (!lock_place(fd_, Place::sweep, F_SETLK))
    throw InputError({path_, 0, 0}, "another sweep, which is running, uses this file");
  constexpr std::uint64_t enough = 4096;  // of what follows a header, to show where it differs
  std::string text = read(0, std::min<std::uint64_t>(size(), header_.size() + enough));
  if (text.starts_with(header_)) return read(0, size());
  if (!header_.starts_with(text)) return text;
  cut(0);  // a sweep was killed while it began
  write_bytes(fd_, header_, path_);
  return header_;
}

void SweepState::cut(std::uint64_t size) const {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0)
    throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

std::uint64_t SweepState::size() const {
  struct stat status {};
  return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::string SweepState::read(std::uint64_t first, std::uint64_t last) const {
  std::string result(last - first, '\0');
  std::size_t done = 0;
  while (done < result.size()) {
    const ssize_t n =
        ::pread(fd_, result.data() + done, result.size() - done, static_cast<off_t>(first + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw InputError({path_, 0, 0}, fmt::format("cannot read it: {}", std::strerror(errno)));
    if (n == 0) break;  // it has become shorter
    done += static_cast<std::size_t>(n);
  }
  result.resize(done);
  return result;
}

void SweepState::take(std::string_view text, const std::vector<std::uint64_t>& sizes) {
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> right = split(header_, '\n');
  const std::size_t headers = right.size() - 1;
  // What follows the last end of a line was not finished.
  for (std::size_t i = 0; i + 1 < lines.size() || i < headers; ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    if (i < headers) {
      const std::string found = i < lines.size() ? lines[i] : "";
      const bool ends_header = i + 1 == headers;
      if (found != right[i])
        refuse(number, difference(i, found, right[i], ends_header || has_damaged_header(lines)));
      continue;
    }
    const auto line = SweepLine::parse(lines[i]);
    if (!line) refuse(number, "this line is damaged: its checksum is that of another text");
    if (line->task >= sizes.size() || line->first != judged_[line->task].cases ||
        line->last <= line->first || line->last > sizes[line->task])
      refuse(number, "the file is damaged: this line does not continue what those before it state");
    judged_[line->task].cases = line->last;
    judged_[line->task].tally.add(line->tally);
  }
}

void SweepState::refuse(std::uint32_t line, const std::string& why) const {
  throw InputError({path_, line, 0}, why);
}

void SweepState::append(const SweepLine& line) {
  const std::lock_guard guard(mutex_);
  if (failed_) return;
  failed_ = true;
  const AppendLock lock(fd_);
  cut_unfinished_line();
  write_bytes(fd_, line.text(), path_);
  failed_ = false;
}

void SweepState::cut_unfinished_line() const {
  constexpr std::uint64_t piece = 4096;
  const std::uint64_t all = size();
  if (read(all - std::min<std::uint64_t>(all, 1), all) == "\n") return;
  std::uint64_t end = all;
  while (end > 0) {
    const std::uint64_t first = end - std::min(end, piece);
    const std::size_t found = read(first, end).rfind('\n');
    end = found == std::string::npos ? first : first + found + 1;
    if (found != std::string::npos) break;
  }
  cut(end);
}

}  // namespace schedcc::cli
