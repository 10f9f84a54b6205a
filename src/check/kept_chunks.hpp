#pragma once

// Chunks that ranks keep, beside those of the steps that are checked.

#include <cstdint>
#include <vector>

namespace schedcc {

/// After each of the steps first..next-1 each rank must keep so many chunks more.
struct KeptChunks {
  std::uint64_t first = 0, next = 0;
  std::vector<std::uint32_t> by_rank;
};

}  // namespace schedcc
