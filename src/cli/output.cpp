#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/core.h>

#include "cli/pending_folder.hpp"
#include "cli/progress.hpp"
#include "cli/usage_error.hpp"

namespace schedcc::cli {

namespace {

mode_t file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// The file that a path names, with symbolic links resolved, also one that leads to a file that is
/// not there yet. A path that cannot be resolved is kept; creating the file fails as well.
std::string resolved(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path target = path;
  while (!error && fs::is_symlink(fs::symlink_status(target, error)))
    target = target.parent_path() / fs::read_symlink(target, error);
  const fs::path real = fs::weakly_canonical(target, error);
  return error ? path : real.string();
}

}  // namespace

void write_all(int fd, std::string_view text, const std::string& name) {
  Progress::erase();
  write_bytes(fd, text, name);
}

void write_bytes(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      const std::string message = fmt::format("cannot write {}: {}", name, std::strerror(errno));
      if (errno == EPIPE) throw ClosedPipe(message);
      throw OutputError(message);
    }
  }
}

void print_error(std::string_view text) noexcept {
  Progress::erase();
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void StandardOutput::write(std::string_view text) {
  used_ = true;
  write_all(STDOUT_FILENO, text, "standard output");
}

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

void check_shared_output(std::initializer_list<std::pair<std::string_view, bool>> takes) {
  std::vector<std::string_view> takers;
  for (const auto& [option, taken] : takes) {
    if (taken) takers.push_back(option);
  }
  if (takers.size() > 1) {
    throw UsageError(fmt::format("{} and {} would share standard output", takers[0], takers[1]));
  }
}

void make_folder(const std::string& path) {
  if (is_standard_output(path)) throw OutputError("standard output is not a folder");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", path, error.message()));
}

FileOutput::FileOutput(const std::string& path)
    : path_(path == "-" ? "standard output" : path), target_(path) {
  if (is_standard_output(path) || path == "/dev/stderr") {  // appends
    fd_ = ::fcntl(path == "/dev/stderr" ? STDERR_FILENO : STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) fail(errno);
    return;
  }
  mode_t mode = file_mode();
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    if (!S_ISREG(status.st_mode)) {
      fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) fail(errno);
      return;
    }
    if (::access(path.c_str(), W_OK) != 0) fail(errno);
    mode = status.st_mode & 07777;
  } else if (errno == ELOOP) {  // links without an end
    fail(errno);
  }
  target_ = resolved(path);
  temporary_ = target_ + ".XXXXXX";
  const SignalBlocker held;  // until the handler knows the file
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  remove_on_signal_.emplace(temporary_);
  ::fchmod(fd_, mode);
}

FileOutput::~FileOutput() {
  parts_.reset();  // a signal that was blocked by it still finds the file's temporary name
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  remove_on_signal_.reset();
}

void FileOutput::write(std::string_view text) {
  if (in_part_) return parts_->write(text);
  write_all(fd_, text, path_);
}

std::string FileOutput::begin_part(std::string_view name) {
  if (temporary_.empty()) return {};
  in_part_ = !name.empty();
  if (!in_part_) {
    if (parts_) parts_->close();
    return {};
  }
  if (!parts_) parts_ = std::make_unique<PendingFolder>(target_ + ".d");
  parts_->open(name);
  return fmt::format("{}.d/{}", path_, name);
}

void FileOutput::commit() {
  if (parts_) parts_->commit();
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  remove_on_signal_.reset();
}

void FileOutput::fail(int error) const {
  throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(error)));
}

}  // namespace schedcc::cli
