#pragma once

// Dependencies between the threadblocks of a GPU.

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

/// Appends the instructions to the GPU's threadblocks. They are given in a correct sequential
/// order; they get the dependencies that preserve it for accesses to the same memory.
void append(Gpu& gpu, const Memory& memory, const std::vector<PlacedInstruction>& order);

}  // namespace schedcc::program
