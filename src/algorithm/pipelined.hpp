#pragma once

// Packets that follow one another through the same tree.

#include <cstdint>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// One edge of a tree: packet 0 leaves `from` for `to` in step `time`.
struct Send {
  std::uint64_t time;
  Rank from, to;
};

/// K >= 0 packets on the tree of `sends`, each `period` >= 1 steps after the previous one: packet p
/// takes every send at its time + p * period. Memory O(sends), O(1) per transfer.
Steps pipelined(const std::vector<Send>& sends, std::uint64_t period, std::uint64_t K);

}  // namespace schedcc
