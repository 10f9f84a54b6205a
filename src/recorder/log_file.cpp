#include "recorder/log_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "recorder/mpi.hpp"

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

/// The address space that a log may take: most of a limit is for the program. A process of SMPI has
/// the logs of all ranks.
std::uint64_t address_space([[maybe_unused]] std::int32_t ranks) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return record::max_log;
#ifdef SCHEDCC_SMPI
  const auto logs = static_cast<std::uint64_t>(ranks);
#else
  const std::uint64_t logs = 1;
#endif
  return std::min<std::uint64_t>(record::max_log, limit.rlim_cur / 4 / logs / growth * growth);
}

}  // namespace

void LogFile::open(const char* folder, std::int32_t rank, std::int32_t ranks) {
  const std::string name = std::string(folder) + "/" + std::to_string(rank);
  fd_ = ::open((name + record::log_ending).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd_ >= 0) {
    lock(fd_);
    map(ranks);
  }
  if (!is_open()) return give_up(name);
  record::State& state = this->state();
  state.version = record::log_version;
  state.rank = rank;
  state.ranks = ranks;
  std::memcpy(state.magic, record::log_magic, sizeof state.magic);  // last: now it is valid
}

/// Maps address space for all of the log, or for less where that is limited.
void LogFile::map(std::int32_t ranks) {
  errno = ENOMEM;  // unless there is another reason
  for (mapped_ = address_space(ranks); mapped_ >= growth; mapped_ /= 4) {
    void* const memory =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (memory == MAP_FAILED) continue;
    memory_ = static_cast<std::byte*>(memory);
    const std::uint64_t share = max_initial_bytes_of_all / static_cast<std::uint64_t>(ranks);
    if (!grow(std::min({initial_bytes, share, mapped_}))) memory_ = nullptr;
    break;
  }
}

/// Renames the file, which needs no space, or creates an empty one.
void LogFile::give_up(const std::string& name) {
  const int reason = errno;
  const std::string lost = name + record::lost_ending;
  if (fd_ < 0) {
    fd_ = ::open(lost.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  } else if (::ftruncate(fd_, 0) == 0) {
    ::rename((name + record::log_ending).c_str(), lost.c_str());
  }
  errno = reason;
}

bool LogFile::grow(std::uint64_t bytes) {
  if (bytes <= size_) return true;
  const std::uint64_t size = (bytes + growth - 1) / growth * growth;
  // Allocated, so that a full disk is an error here and not a signal later.
  const int error = size > mapped_ ? ENOMEM
                                   : ::posix_fallocate(fd_, static_cast<off_t>(size_),
                                                       static_cast<off_t>(size - size_));
  if (error != 0) {
    errno = error;
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
