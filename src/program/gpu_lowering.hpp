#pragma once

// The threadblocks of one GPU.

#include <cstdint>
#include <vector>

#include "program/chunk_placement.hpp"
#include "program/send_receive.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

/// May an incoming and an outgoing connection share a threadblock, which forwards chunks?
enum class Pairing : std::uint8_t { paired, apart };

/// Gives GPU `rank` of the program its threadblocks, for its moves (in the program's order). Its
/// buffers already have their sizes.
void lower_gpu(Program& program, Rank rank, const std::vector<const SendReceive*>& send_receives,
               const ChunkPlacement& places, Calls calls, Pairing pairing);

}  // namespace schedcc::program
