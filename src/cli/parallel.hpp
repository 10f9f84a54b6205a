#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/processors.hpp"

namespace schedcc::cli {

/// Calls work(i) for i = 0..count-1 on `jobs` threads, 0: one per processor. The first exception
/// ends it and is rethrown.
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
  std::vector<std::thread> threads;
  const std::size_t most = std::min(thread_count(jobs), count);
  for (std::size_t i = 1; i < most; ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace schedcc::cli
