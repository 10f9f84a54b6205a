#include "core/input_text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

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

/// A file in memory. All of them are in a list, for mapped_file.
class Mapping {
 public:
  Mapping(void* data, std::size_t size, std::string path)
      : data_(data), size_(size), path_(std::move(path)) {
    const std::lock_guard lock(mutex_);
    next_ = first_;
    if (next_ != nullptr) next_->before_ = this;
    first_ = this;
  }
  ~Mapping() {
    leave_list();
    ::munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

  /// The path of the one that has the address; nullptr if none has.
  static const char* path_at(const void* address) {
    const std::lock_guard lock(mutex_);
    const Mapping* mapping = first_;
    while (mapping != nullptr && !mapping->has(address)) mapping = mapping->next_;
    return mapping == nullptr ? nullptr : mapping->path_.c_str();
  }

 private:
  void leave_list() {
    const std::lock_guard lock(mutex_);
    (before_ != nullptr ? before_->next_ : first_) = next_;
    if (next_ != nullptr) next_->before_ = before_;
  }

  bool has(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(data_) <
           size_;
  }

  static inline std::mutex mutex_;
  static inline Mapping* first_ = nullptr;

  void* data_;
  std::size_t size_;
  std::string path_;
  Mapping *before_ = nullptr, *next_ = nullptr;
};

}  // namespace

const char* mapped_file(const void* address) { return Mapping::path_at(address); }

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
  const auto mapping = std::make_shared<const Mapping>(data, size, path);
  text.view_ = mapping->text();
  text.owner_ = mapping;
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
