#pragma once

// The threadblocks of one GPU.

#include <cstdint>
#include <vector>

#include "program/chunk_placement.hpp"
#include "program/moves.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

/// Do a connection that comes in and one that goes out share a threadblock, which passes on what it
/// receives?
enum class Pairing : std::uint8_t { paired, apart };

/// Gives GPU `rank` of the program its threadblocks, for the moves (in the program's order) that it
/// takes part in. Its buffers have their sizes already.
void lower_gpu(Program& program, Rank rank, const std::vector<const Move*>& moves,
               const ChunkPlacement& places, Calls calls, Pairing pairing);

}  // namespace schedcc::program
