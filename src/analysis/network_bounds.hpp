#pragma once

// Lower bounds from the links of networks and the channels of machines with ports: bounds.hpp has
// those on steps and volume, and cost/bounds.cpp derives times from the same cuts.

#include <optional>
#include <string_view>

#include "machine/link_graph.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// A lower bound on the time for each chunk of a message, or a block.
struct CutBound {
  Fraction time;  ///< in which each link carries its capacity once per unit
  std::string_view source;
};

/// The bound of the narrowest cut of the links; none for collectives other than broadcast, reduce,
/// allgather (and barrier), reduce-scatter and allreduce, if a rank cannot be reached, or if there
/// are too many ranks to compute it.
std::optional<CutBound> cut_bound(const Problem& problem, const LinkGraph& graph);

/// The bound from ports, raised to that of the narrowest cut of the channels, if messages do not
/// share them. `width` >= 1 chunks to a message, `ports_of_rank` messages of a rank in a step.
LowerBound raised_by_cuts(LowerBound ports, const Problem& problem, const Channels& channels,
                          std::uint64_t width, std::uint64_t ports_of_rank);

/// Networks: from distances, from the chunks that must leave or enter a rank, and from cuts, for
/// steps of at most `rounds` rounds. None if no schedule exists, or if there are too many ranks to
/// compute it.
LowerBound network_bound(const Problem& problem, const Network& network, std::uint64_t rounds);

}  // namespace schedcc
