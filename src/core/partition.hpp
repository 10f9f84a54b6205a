#pragma once

// Things in a row that are divided among threads, processes or passes.

#include <cstdint>
#include <utility>

namespace schedcc {

/// The first of `count` things that part `number` of `parts` has, and the one after its last. The
/// sizes of parts differ by one at most. `count` times `parts` must be less than 2^64.
constexpr std::pair<std::uint64_t, std::uint64_t> part_of(std::uint64_t count, std::uint64_t number,
                                                          std::uint64_t parts) {
  return {count * number / parts, count * (number + 1) / parts};
}

}  // namespace schedcc
