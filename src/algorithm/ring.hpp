#pragma once

#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// An allgather round the ring of ranks 0..P-1 of a vector of `total` chunks that is cut into
/// `parts` <= P blocks, one for each of the first ranks: P - 1 steps, in each of which every block
/// is sent on once.
Steps ring_allgather(std::uint64_t P, std::uint64_t total, std::uint64_t parts);

}  // namespace schedcc
