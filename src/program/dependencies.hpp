#pragma once

// Who waits for whom among the threadblocks of a GPU.

#include <cstdint>
#include <vector>

#include "program/memory.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

/// An instruction without its dependencies, and its threadblock.
struct PlacedInstruction {
  Instruction step;
  std::uint32_t block;
};

/// Appends the instructions to the GPU's threadblocks. They are given in an order in which they
/// have the right effects; they get the dependencies that keep it wherever they use the same
/// memory.
void append(Gpu& gpu, const Memory& memory, const std::vector<PlacedInstruction>& order);

}  // namespace schedcc::program
