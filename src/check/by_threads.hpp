#pragma once

// Work that several threads share.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "core/seldom.hpp"
#include "core/start_threads.hpp"

namespace schedcc {

/// Calls `work(failed, progress)` in so many threads at a time, or fewer if the system does not
/// grant them, of which one is the caller's; `progress` is given to that one, and does nothing in
/// the others. If a call throws, `failed` becomes true, and the exception is thrown when all have
/// ended.
template <typename Work>
void by_threads(std::size_t threads, const std::function<void(std::uint64_t)>& progress,
                const Work& work) {
  std::atomic<bool> failed = false;
  std::exception_ptr error;
  std::mutex mutex;
  const auto run = [&](const std::function<void(std::uint64_t)>& shown) {
    try {
      work(std::as_const(failed), shown);
    } catch (...) {
      failed = true;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  Seldom seldom(progress);
  auto others = start_threads(threads - 1, [&run] { run([](std::uint64_t) {}); });
  run(std::ref(seldom));
  for (std::thread& thread : others) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace schedcc
