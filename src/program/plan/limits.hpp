#pragma once

// The limits of the runtime of MSCCL++ on plans, and what shows in a plan without running it.

#include <cstdint>
#include <vector>

#include "program/findings.hpp"
#include "schedcc/plan.hpp"

namespace schedcc::program {

/// microsoft/mscclpp 1f5f065 (execution_common.hpp); arrays without a check of the index overflow.
namespace plan_limits {
inline constexpr std::uint32_t steps = 64;           ///< of a threadblock, with bodies of pipelines
inline constexpr std::uint32_t operands = 10;        ///< of an operation on each side
inline constexpr std::uint32_t step_channels = 8;    ///< of an operation
inline constexpr std::uint32_t channels = 16;        ///< of a threadblock and kind
inline constexpr std::uint32_t remote_buffers = 16;  ///< the same
inline constexpr std::uint32_t semaphores = 16;      ///< of an operation
inline constexpr std::uint32_t barriers = 16;        ///< of a GPU
inline constexpr std::uint32_t threads = 1024;
inline constexpr std::uint32_t element = 16;  ///< bytes that a thread handles at a time
/// The length of the scratch that plans share (reuse_resources), in bytes.
inline constexpr std::uint64_t shared_scratch = std::uint64_t{128} << 20;
}  // namespace plan_limits

/// The errors of a plan that show without running it, and notes on it.
std::vector<ProgramFinding> static_findings(const Plan& plan);

/// The largest call in which every offset has 32 bits, as the runtime counts `max_message_size`.
std::uint64_t addressable_bytes(const Plan& plan);

}  // namespace schedcc::program
