#pragma once

// The threadblocks of one GPU.

#include <vector>

#include "program/moves.hpp"
#include "program/places.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

/// Gives GPU `rank` of the program its threadblocks, for the moves (in the program's order) that it
/// takes part in. Its buffers have their sizes already.
void lower_gpu(Program& program, Rank rank, const std::vector<const Move*>& moves,
               const Places& places, Calls calls);

}  // namespace schedcc::program
