#pragma once

#include <cstdint>

namespace schedcc {

/// A hierarchical crossbar: a modules of b ranks, rank = module * b + index.
struct Crossbar {
  std::uint64_t a = 1, b = 1;
  std::uint64_t in = 1, out = 1;  ///< messages that enter and leave a module per step
};

}  // namespace schedcc
