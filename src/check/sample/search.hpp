#pragma once

// Where a rank receives a chunk, or sends on what it has received: looked for step by step.
//
// Theory. A kernel says what a rank does in a step, not in which step it handles a chunk. A search
// that has read all steps is exact; one that has read `longest_search` of them without success is
// undecided, as is one through a step with more transfers than are read.
//
// Most copies are sent soon after they arrive; those that a rank sends again and again arrived
// early. So an arrival is looked for from both ends of the time in which it can be, one step from
// each in turn.
//
// A sum that is copied is complete. A rank that sends a part of a sum, to be combined, does not
// have the part of the receiver, so that its sum is complete only if it receives something of it in
// that step or later. So this is looked for backwards only, up to the last such send.
//
// What a rank combines with its part of a sum it has to send on, or to keep to the end. A copy that
// comes before that replaces it.

#include <cstdint>

#include "algorithm/local.hpp"

namespace schedcc {

/// In how many steps a chunk is looked for.
inline constexpr std::uint64_t longest_search = 1 << 10;

enum class Search : std::uint8_t { found, absent, undecided };

/// Does the rank receive the chunk in the step `last` or before it?
Search arrival(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t last);

/// Does the rank receive something of a sum in the step `last` or before it, but not before it
/// sends a part of the sum to be combined?
Search completion(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t last);

/// Does the rank send the chunk, `latency` steps after `step` or later, or keep it to the end, as
/// `kept` says, before a copy replaces it?
Search use(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t step,
           std::uint64_t latency, bool kept);

}  // namespace schedcc
