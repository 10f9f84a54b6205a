#pragma once

// The exchanges of Swing, which are those of Bine's butterfly: at a distance of rho(i) = 1 - 2 + 4
// - 8 ... = (1 - (-2)^(i+1))/3, upwards from even places of a ring and downwards from odd ones. The
// distance is odd, so that on a ring of an even length partners have different parity.

#include <cstdint>

#include "algorithm/torus_trees.hpp"

namespace schedcc {

/// The partner in step i of position `place` on a ring of even length `side`: rho(i) ahead of even
/// positions and behind odd ones; `down` exchanges the two.
constexpr std::uint64_t swing_partner(std::uint64_t place, std::uint64_t i, std::uint64_t side,
                                      bool down = false) {
  // |rho(i)| = (2^(i+1) + (-1)^i)/3 is positive for even i.
  const std::uint64_t distance = (((std::uint64_t{2} << i) + (i % 2 == 0 ? 1 : 0)) / 3) % side;
  const bool up = ((i % 2 == 0) == (place % 2 == 0)) != down;
  return (place + (up ? distance : side - distance)) % side;
}

/// Swing's trees for the first `parts` of its 2D collectives, on a torus with even sides.
/// Collective p begins in dimension p mod D and then takes the dimensions in order; for p >= D all
/// directions are reversed. The steps are the sum of ceil(log2 a_e) for sides a_e.
SharedTrees swing_trees(const TorusSides& sides, std::uint64_t parts);

}  // namespace schedcc
