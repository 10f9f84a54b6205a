#pragma once

// The dependencies of a rank's operations when a schedule runs as a program without a common clock:
// the operations of a step do not wait for one another, but for all of the rank's previous step.

#include <cstddef>

namespace schedcc {

/// Do `after` operations wait for `before` others through an empty one between them? This saves
/// dependencies: before + after of them instead of before * after.
constexpr bool through_barrier(std::size_t before, std::size_t after) {
  return before > 1 && after > 1 && (before - 1) * (after - 1) > 2;
}

}  // namespace schedcc
