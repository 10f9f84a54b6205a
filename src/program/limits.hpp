#pragma once

// The limits of the runtimes of MSCCL, and the rules by which their interpreter counts steps.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "program/wiring.hpp"

namespace schedcc::program {

namespace limits {
inline constexpr std::uint32_t count = 71;      ///< chunks of an instruction
inline constexpr std::uint32_t peers = 32;      ///< threadblocks per channel and direction
inline constexpr std::uint32_t offset = 32767;  ///< the largest
inline constexpr std::uint32_t gpus = 1024;
/// Local reductions of a threadblock after which a chain of them ends (MSCCL_MAX_REDUCE_FUSION).
inline constexpr std::uint32_t reductions = 16;
/// Elements that a rank keeps of the file: <algo>, all <gpu>, its own <tb> and <step>.
inline constexpr std::uint32_t elements = 4095;
}  // namespace limits

/// Limits in which the runtimes differ.
struct Runtime {
  std::string_view name;
  std::uint32_t steps;   ///< of a threadblock
  std::uint32_t blocks;  ///< of a GPU
  std::uint32_t channels;
};

/// microsoft/msccl and Azure/msccl-executor-nccl; and ROCm/rccl 0cbce2a (msccl_struct.h,
/// MSCCL_MAX_NUM_STEPS and MSCCL_MAX_NUM_THREAD_BLOCKS; device.h, MAXCHANNELS).
inline constexpr std::array<Runtime, 2> runtimes{{{"msccl", 256, 128, 32}, {"rccl", 64, 64, 128}}};

/// The runtime of that name. Throws InputError if there is none.
const Runtime& find_runtime(std::string_view name);

/// All findings of the check `limits`, in the order of the program's blocks.
std::vector<ProgramFinding> beyond_limits(const Wiring& wiring);

}  // namespace schedcc::program
