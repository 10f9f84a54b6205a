#pragma once

// Spanning trees that share links: k trees from each source, edge by edge.
//
// A tree is its root, its ranks R so far, and how many copies m of it there are. The trees can be
// completed as long as into every set of ranks X there is room for all trees that have no rank in X
// (Edmonds 1973 for single roots; Schrijver, "Combinatorial Optimization", theorem 53.2). A link
// (x, y) with x in R and y not in R can then be added to
//     min(its capacity, m, F - M)
// copies, where F is the flow from x to y over the links, and over a node for each other unfinished
// tree, with an arc of its copies from x, and wide ones to all of its ranks; M are the copies of
// these trees. If these are fewer than m, the tree is split. Some link can always be added; one
// that could not be cannot later, for the same tree. Links are tried in the order in which their
// tails joined, so that trees are broad rather than deep.
//
// Source: Bérczi, Frank, "Packing Arborescences" (2009), as in ForestColl (arXiv 2402.06787),
// section 5.3.

#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/forest/splitting.hpp"

namespace schedcc {

/// Copies of a spanning tree. A link follows those on the way from the root to its tail.
struct PackedTree {
  Rank root;
  std::uint64_t copies;
  std::vector<std::uint32_t> links;  ///< their numbers; one to each rank but the root
};

/// Trees from each of `sources`, k together each, which use each of the links at most as often as
/// it has capacity. By their sources. Throws InternalError if there is no room for them.
std::vector<PackedTree> packed_trees(Rank ranks, std::span<const SwitchedLink> links,
                                     std::span<const Rank> sources, std::uint64_t k);

}  // namespace schedcc
