#include "recorder/log_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace schedcc::recorder {

namespace {

constexpr std::uint64_t growth = std::uint64_t{1} << 22;
/// The space that is allocated in advance, per process and at most for all processes together, so
/// that most collectives do not wait for it.
constexpr std::uint64_t initial_bytes = std::uint64_t{1} << 26,
                        max_initial_bytes_of_all = std::uint64_t{1} << 29;

/// Locks the log: schedcc learns from the lock whether the process is alive, and its process id.
void lock(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  ::fcntl(fd, F_SETLK, &whole);
}

}  // namespace

void LogFile::open(const char* folder, std::int32_t rank, std::int32_t ranks) {
  const std::string path = std::string(folder) + "/" + std::to_string(rank) + ".log";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd_ < 0) return;
  lock(fd_);
  // Address space for all of it, or for less where that is limited.
  for (mapped_ = record::max_log; mapped_ >= growth; mapped_ /= 4) {
    void* const memory =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (memory == MAP_FAILED) continue;
    memory_ = static_cast<std::byte*>(memory);
    const std::uint64_t share = max_initial_bytes_of_all / static_cast<std::uint64_t>(ranks);
    if (!grow(std::min({initial_bytes, share, mapped_}))) memory_ = nullptr;
    break;
  }
  if (!is_open()) return;
  record::State& state = this->state();
  state.version = record::log_version;
  state.rank = rank;
  state.ranks = ranks;
  std::memcpy(state.magic, record::log_magic, sizeof state.magic);  // last: now it is valid
}

bool LogFile::grow(std::uint64_t bytes) {
  if (bytes <= size_) return true;
  const std::uint64_t size = (bytes + growth - 1) / growth * growth;
  // Allocated, so that a full disk is an error here and not a signal later.
  if (size > mapped_ ||
      ::posix_fallocate(fd_, static_cast<off_t>(size_), static_cast<off_t>(size - size_)) != 0) {
    return false;
  }
#ifdef MADV_POPULATE_WRITE
  // All pages at once, which is faster than a page fault for each.
  ::madvise(memory_ + size_, size - size_, MADV_POPULATE_WRITE);
#endif
  size_ = size;
  return true;
}

std::byte* LogFile::append(const record::Event& event) {
  record::State& state = this->state();
  const std::uint64_t padded = (event.stored + 7) / 8 * 8;
  const std::uint64_t at = record::log_head + state.used;
  if (state.full != 0 || !grow(at + sizeof event + padded)) {
    state.full = 1;
    return nullptr;
  }
  std::memcpy(memory_ + at, &event, sizeof event);
  state.used += sizeof event + padded;
  return memory_ + at + sizeof event;
}

}  // namespace schedcc::recorder
