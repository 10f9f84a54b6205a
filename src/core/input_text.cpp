#include "core/input_text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// A file descriptor that closes itself; standard input stays open.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path), fd_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail("cannot open the file", errno);
  }
  ~File() {
    if (path_ != "-") ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int fd() const { return fd_; }

  [[noreturn]] void fail(std::string_view what, int error) const {
    throw InputError({path_, 0, 0}, fmt::format("{}: {}", what, std::strerror(error)));
  }

  std::string read_all() const {
    std::string bytes;
    std::array<char, 1 << 16> piece;
    while (true) {
      const ssize_t n = ::read(fd_, piece.data(), piece.size());
      if (n == 0) return bytes;
      if (n < 0 && errno != EINTR) fail("cannot read the file", errno);
      if (n > 0) bytes.append(piece.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  std::string path_;
  int fd_;
};

}  // namespace

InputText InputText::of(std::string bytes) {
  InputText text;
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  text.view_ = *owner;
  text.owner_ = std::move(owner);
  return text;
}

InputText InputText::open(const std::string& path) {
  const File file(path);
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) file.fail("cannot read the file", errno);
  if (S_ISDIR(status.st_mode)) file.fail("cannot read the file", EISDIR);
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return of(file.read_all());

  const auto size = static_cast<std::size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (data == MAP_FAILED) return of(file.read_all());
  InputText text;
  text.view_ = {static_cast<const char*>(data), size};
  text.owner_ = std::shared_ptr<const void>(
      data, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  return text;
}

std::string_view skip_comments(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool line = text.starts_with("//");
    if (!line && !text.starts_with("/*")) return text;
    const std::size_t end = line ? text.find('\n') : text.find("*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (line ? 1 : 2));
  }
}

}  // namespace schedcc
