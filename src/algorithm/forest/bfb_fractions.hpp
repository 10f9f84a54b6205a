#pragma once

// Breadth-first broadcasts from all ranks at once: in phase t every rank gets the shards of all
// ranks that are t links away, each from neighbours that are t - 1 links away from its rank.
//
// A shard may come in parts over several links. Let U(u, t) be the least load that the busiest link
// into u can have in phase t, in shards per capacity. Over all nonempty sets W of links into u,
//     U(u, t) = max #{shards whose links are all in W} / b(W),
// by Hall's theorem: a flow from the shards, 1 each, over their links, U b each. The search is that
// of the bottleneck (machine/link_graph.hpp): a flow that is too small has a cut with a larger
// ratio. If K U is whole for shards of K chunks, then so is a flow with K for each shard.
//
// Source: Zhao et al., "Efficient Direct-Connect Topologies for Collective Communications"
// (arXiv 2202.03356), BFB schedules.

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/link_graph.hpp"

namespace schedcc {

/// Part of a shard, on a link of the graph.
struct ShardPart {
  std::size_t link;
  Rank source;
  std::uint64_t first, count;  ///< chunks of the shard
};

/// A phase for all ranks.
class BreadthFirst {
 public:
  /// On a graph without switches in which all ranks can be reached from all others.
  explicit BreadthFirst(const LinkGraph& graph);

  /// By phase: the largest U(u, t) of a rank.
  const std::vector<Fraction>& loads() const { return loads_; }
  /// The least number of chunks for which K U is whole in all phases; 0 if it is 2^32 or more.
  std::uint64_t chunk_unit() const;
  /// The parts of shards of K chunks, a multiple of chunk_unit(), in phase t: by link, and then by
  /// source.
  std::vector<ShardPart> parts(std::size_t phase, std::uint64_t K) const;

 private:
  struct Arrivals;
  Arrivals arrivals(Rank u, std::size_t phase) const;

  LinkGraph graph_;
  std::vector<std::vector<std::uint32_t>> distance_;  ///< by source and rank
  std::vector<std::vector<std::size_t>> links_into_;  ///< by rank
  std::vector<Fraction> loads_;
};

/// The phases on a graph. Those made last are kept. May be called by several threads at once.
std::shared_ptr<const BreadthFirst> breadth_first(const LinkGraph& graph);

}  // namespace schedcc
