#pragma once

// Those who share the work on one schedule: the threads of a process, and the processes of a team.
//
// All processes take the same way through a check, since each of them learns what all have found.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analysis/abandoned.hpp"
#include "check/by_threads.hpp"
#include "check/team.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

struct Crew {
  std::size_t threads = 1;
  Team* team = nullptr;  ///< none: this process is alone

  /// Does this process take the piece of work with this number?
  bool has(std::uint64_t piece) const {
    return team == nullptr || piece % team->size() == team->rank();
  }

  /// Is it so in all processes?
  bool all(bool own) const;
  /// What each of the other processes gives, as this one gives `own()`; nothing if it is alone.
  std::vector<std::string> others(const std::function<std::string()>& own) const;

  /// Calls `f(failed, progress)` in all threads of all processes (by_threads.hpp). Throws Abandoned
  /// if a thread of any of them did.
  template <typename F>
  void work(const std::function<void(std::uint64_t)>& progress, const F& f) const {
    bool done = true;
    try {
      by_threads(threads, progress, f);
    } catch (const Abandoned&) {
      done = false;
    }
    if (!all(done)) throw Abandoned();
  }
  /// Likewise, calls `f(piece, worker, progress)` for the pieces 0..count-1, each in one process;
  /// every thread has a `Worker`.
  template <typename Worker, typename F>
  void each_piece(std::uint64_t count, const std::function<void(std::uint64_t)>& progress,
                  const F& f) const {
    const std::uint64_t processes = team == nullptr ? 1 : team->size();
    std::atomic<std::uint64_t> next = team == nullptr ? 0 : team->rank();
    work(progress, [&](const std::atomic<bool>& failed, const auto& shown) {
      Worker worker;
      for (std::uint64_t i = next.fetch_add(processes); i < count && !failed;
           i = next.fetch_add(processes))
        f(i, worker, shown);
    });
  }
};

/// Things that are sent to other processes, on machines of the same kind.
template <typename T>
std::string bytes_of(std::span<const T> things) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(things.data()), things.size_bytes()};
}

/// Takes so many of them from the beginning of bytes. Throws InternalError if there are fewer.
template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() / sizeof(T) < count) throw InternalError("processes have different results");
  std::vector<T> things(count);
  if (count > 0) std::memcpy(things.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return things;
}

}  // namespace schedcc
