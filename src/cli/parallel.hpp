#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "core/processors.hpp"
#include "core/start_threads.hpp"

namespace schedcc::cli {

/// Calls work(i) for i = 0..count-1 on up to `jobs` threads, 0: one per processor. The first
/// exception ends it and is rethrown.
template <typename F>
void parallel(std::size_t count, unsigned jobs, F work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr error;
  std::mutex mutex;
  const auto worker = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
  };
  const std::size_t most = std::min(thread_count(jobs), count);
  auto threads = start_threads(most > 0 ? most - 1 : 0, worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace schedcc::cli
