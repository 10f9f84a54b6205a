#pragma once

#include <cstdint>

namespace schedcc {

/// A mesh or torus of ranks in row-major order.
struct Mesh {
  std::uint64_t rows = 1, columns = 1;
  bool torus = false;
  std::uint64_t congestion = 1;  ///< messages that a directed edge carries per step
};

}  // namespace schedcc
