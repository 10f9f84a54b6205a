#pragma once

// Parameters that several kinds of machines have, and limits on them.

#include <cstdint>
#include <string>

#include "core/divisors.hpp"
#include "schedcc/spec.hpp"

namespace schedcc {

/// `width=W`: chunks that one message may carry. make_machine reads it.
inline constexpr Parameter width_parameter{
    .name = "width", .summary = "chunks that a message may carry", .min = 1, .max = UINT32_MAX};

/// The ports of a rank.
inline constexpr std::uint64_t max_ports = (std::uint64_t{1} << 31) - 1;

/// The largest divisor of P that is not above its square root: the shorter side of a grid of P
/// ranks that is as near to a square as possible.
inline std::uint64_t near_square(std::uint64_t P) { return divisor_near_root(P); }

}  // namespace schedcc
