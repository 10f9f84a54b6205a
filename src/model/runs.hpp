#pragma once

// Arithmetic on runs of chunks.

#include <span>
#include <vector>

#include "schedcc/problem.hpp"

namespace schedcc {

/// One past the last chunk of a run, in 64 bits.
constexpr std::uint64_t end(const Run& run) { return std::uint64_t{run.first} + run.count; }

/// How many chunks two runs have in common.
constexpr std::uint64_t overlap(const Run& a, const Run& b) {
  const std::uint64_t from = a.first > b.first ? a.first : b.first;
  const std::uint64_t to = end(a) < end(b) ? end(a) : end(b);
  return from < to ? to - from : 0;
}

/// The chunks that two runs have in common; perhaps none.
constexpr Run common(const Run& a, const Run& b) {
  return {a.first > b.first ? a.first : b.first, static_cast<std::uint32_t>(overlap(a, b))};
}

/// All chunks of a valid problem.
inline Run all_chunks(const Problem& problem) {
  return {0, static_cast<std::uint32_t>(problem.total_chunks())};
}

/// The runs in ascending order, adjacent ones joined. Those that overlap stay apart: a chunk that
/// is listed twice remains so.
std::vector<Run> joined_neighbours(std::span<const Run> runs);

/// Their union: the runs in ascending order, with adjacent and overlapping ones joined.
std::vector<Run> united(std::span<const Run> runs);

/// The last of the runs, which are ascending, that begins at `chunk` or before; nullptr: none. A
/// search without branches that would have to be predicted.
const Run* last_from(std::span<const Run> runs, Chunk chunk);

/// Is `chunk` in one of the runs, which are merged and ascending?
bool contains(std::span<const Run> runs, Chunk chunk);

/// The first chunk above `chunk` at which one of the runs, which are merged and ascending, begins
/// or ends; UINT32_MAX + 1 if there is none.
std::uint64_t next_border(std::span<const Run> runs, Chunk chunk);

}  // namespace schedcc
