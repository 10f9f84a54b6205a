#pragma once

// The exchanges of Swing (kernel/swing.hpp), which are those of Bine's butterfly, on tori with even
// sides: partners differ in parity.

#include <cstdint>

#include "algorithm/kernel/swing.hpp"
#include "algorithm/torus_trees.hpp"

namespace schedcc {

using local::swing_partner;

/// Swing's trees for the first `parts` of its 2D collectives, on a torus with even sides.
/// Collective p begins in dimension p mod D and then takes the dimensions in order; for p >= D all
/// directions are reversed. The steps are the sum of ceil(log2 a_e) for sides a_e.
SharedTrees swing_trees(const TorusSides& sides, std::uint64_t parts);

}  // namespace schedcc
