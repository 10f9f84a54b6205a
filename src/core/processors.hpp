#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

namespace schedcc {

/// So many threads; 0: one per processor.
inline std::size_t thread_count(std::size_t threads) {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace schedcc
