#pragma once

// What a rank's operations wait for where a schedule runs as a program without a common clock:
// those of a step, none of which waits for another, for all of the rank's last step before.

#include <cstddef>

namespace schedcc {

/// Do `after` operations wait for `before` others through an empty one between them? It is there
/// where it saves dependencies, before + after of them for before * after.
constexpr bool through_barrier(std::size_t before, std::size_t after) {
  return before > 1 && after > 1 && (before - 1) * (after - 1) > 2;
}

}  // namespace schedcc
