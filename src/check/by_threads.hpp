#pragma once

// Work that several threads share.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/seldom.hpp"

namespace schedcc {

/// Calls `work(failed, progress)` in so many threads at a time, of which one is the caller's;
/// `progress` is given to that one, and does nothing in the others. If a call throws, `failed`
/// becomes true, and the exception is thrown when all have ended.
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
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i)
      others.emplace_back([&run] { run([](std::uint64_t) {}); });
  } catch (const std::system_error&) {
    // The system grants no more threads: those started do the work.
  }
  run(std::ref(seldom));
  for (std::thread& thread : others) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace schedcc
