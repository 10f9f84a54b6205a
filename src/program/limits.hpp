#pragma once

// What the runtimes of MSCCL can hold, and the rules by which their interpreter counts steps.

#include <cstdint>
#include <vector>

#include "program/wiring.hpp"

namespace schedcc::program {

namespace limits {
inline constexpr std::uint32_t steps = 256;  ///< of a threadblock
inline constexpr std::uint32_t count = 71;   ///< chunks of an instruction
inline constexpr std::uint32_t channels = 32;
inline constexpr std::uint32_t peers = 32;      ///< threadblocks per channel and direction
inline constexpr std::uint32_t blocks = 128;    ///< of a GPU
inline constexpr std::uint32_t offset = 32767;  ///< the largest
inline constexpr std::uint32_t gpus = 1024;
/// Local reductions of a threadblock after which a chain of them ends (MSCCL_MAX_REDUCE_FUSION).
inline constexpr std::uint32_t reductions = 16;
/// Elements that a rank keeps of the file: <algo>, all <gpu>, its own <tb> and <step>.
inline constexpr std::uint32_t elements = 4095;
}  // namespace limits

/// Everything in a program that breaks them, in the order of its blocks.
std::vector<Misfit> beyond_limits(const Wiring& wiring);

}  // namespace schedcc::program
