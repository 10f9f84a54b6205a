#pragma once

// How schedules scale with the number of chunks: that for K chunks, or K per block, made from the
// one for a single chunk.
//
// The rules of many algorithms do not depend on K. Some move blocks as a whole, with as many chunks
// as they have: in the schedule for one chunk every chunk is replaced by K of them. Others send one
// chunk at a time, and so the K packets of a block one after another: the schedule for one chunk is
// repeated for each packet. A program of several rules repeats each of its phases, as a block has
// to be in place before the next phase begins.
//
// The tables of such algorithms are made here. So what a check of the schedule for one chunk has
// found is true of the others by the way in which they are made (check/scaled.hpp), whatever an
// algorithm's entry says.

#include <cstdint>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// How a schedule for one chunk becomes one for n chunks.
enum class Scaling : std::uint8_t {
  none,               ///< not at all: there is another rule for each number of chunks
  blocks,             ///< every chunk c is replaced by the chunks cn .. cn + n - 1
  packets,            ///< n times, for j = 0..n-1: the only chunk c of a transfer becomes cn + j
  packets_backwards,  ///< the same from j = n - 1 down to 0
};

/// Do the packets of a block follow one another?
constexpr bool by_packets(Scaling scaling) {
  return scaling == Scaling::packets || scaling == Scaling::packets_backwards;
}

/// A part of a schedule for one chunk, which follows those before it.
struct SchedulePhase {
  Steps steps;
  Scaling scaling;
};

/// The steps n times, each `period` steps after the one before, with another packet of each chunk.
/// Each transfer has one chunk (InternalError otherwise), and all steps are below `period`.
Steps in_packets(const Steps& steps, std::uint32_t n, std::uint64_t period, bool backwards = false);

/// The phases for n chunks, in sequence. Throws InternalError for a phase that does not scale.
Steps scaled(std::vector<SchedulePhase> phases, std::uint32_t n);

/// The problem with n chunks in place of each chunk of `one`: ranks start and end with all of them
/// if they do with that one.
Problem scaled(const Problem& one, std::uint32_t n);

}  // namespace schedcc
