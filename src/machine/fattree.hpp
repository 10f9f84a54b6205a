#pragma once

// Binary fat trees: their parameters, and how their nodes are numbered.
//
// P = 2^h ranks are the leaves, level 0. Routers are numbered level by level from the leaves up,
// left to right, starting with P; the root, on level h, is 2P - 2. With this numbering the parent
// of node v is P + floor(v/2), on every level: the routers of level i begin at P + P/2 + ... +
// P/2^(i-1), which is P plus half the number of their first child.
//
// Source: BFT, section 2.

#include <bit>
#include <cstdint>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The parameters: cap_i, the capacity of the branches of level i = 1..h.
struct FatTree {
  std::vector<std::uint64_t> capacities;
};

/// The nodes of the fat tree over `leaves` leaves, a power of two.
struct FatTreeNodes {
  std::uint64_t leaves;

  std::uint64_t size() const { return 2 * leaves - 1; }
  Rank root() const { return static_cast<Rank>(size() - 1); }
  /// The parent of any node but the root.
  Rank parent(Rank node) const { return static_cast<Rank>(leaves + node / 2); }
  /// On level l the number 2P - 1 - node has h + 1 - l bits.
  std::uint32_t level(std::uint64_t node) const {
    return static_cast<std::uint32_t>(std::bit_width(size()) - std::bit_width(size() - node));
  }
  /// The node at `index` 0..P/2^level - 1, from the left, of a level 0..h.
  Rank node(std::uint32_t level, std::uint64_t index) const {
    return static_cast<Rank>(2 * leaves - (2 * leaves >> level) + index);
  }
};

}  // namespace schedcc
