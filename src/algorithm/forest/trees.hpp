#pragma once

// The trees by which a machine gets all data of some ranks in the least time, by ForestColl: the
// bottleneck 1/x* = p/q (machine/link_graph.hpp), links from rank to rank (splitting.hpp),
// trees (packing.hpp), and the way of the trees' links through switches.
//
// Let g be the greatest common divisor of q and all capacities b. With capacities p b/g, all ranks
// get k = q/g from each source: k trees of it, each of which uses as much of a link as a link of
// capacity g/p has. In p steps a link of a network carries p b chunks, so that each tree can
// carry g chunks.
//
// Two links of a tree may pass the same switch. There it needs the chunk once only: a way branches
// off where the tree has been already.
//
// Source: Zhao et al., "ForestColl" (arXiv 2402.06787); section 5 for p, q and k.

#include <cstdint>
#include <span>
#include <vector>

#include "machine/link_graph.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// A tree over ranks, and over switches if it goes link by link.
struct ForestTree {
  /// A link of the tree, and the hop that brings its tail the data: none at the root.
  struct Hop {
    Rank from, to;
    std::uint32_t before, depth;  ///< depth 1 at the root
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  Rank root;
  std::uint64_t copies;
  std::vector<Hop> hops;  ///< each after the one before it
};

struct Forest {
  Fraction ratio;      ///< p/q
  std::uint64_t g, k;  ///< q = g k
  std::vector<ForestTree> trees;
};

/// The trees for the data of `sources`: link by link, or from rank to rank. All ranks can be
/// reached from all of them and, if there are switches, capacities into and out of each node are
/// equal.
Forest forest(const LinkGraph& graph, std::span<const Rank> sources, bool by_links);

}  // namespace schedcc
