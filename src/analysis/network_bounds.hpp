#pragma once

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// The bound that ports give, raised for a total exchange on a mesh, torus or crossbar to what must
/// pass its narrowest cut. `width` >= 1 chunks to a message.
LowerBound raised_by_cuts(LowerBound ports, const Problem& problem, const Machine& machine,
                          std::uint64_t width);

/// Topologies, from distances and from what must leave or enter a rank, for steps of at most
/// `rounds` rounds. None where no schedule exists, or where there are too many ranks to work it
/// out.
LowerBound topology_bound(const Problem& problem, const Topology& topology, std::uint64_t rounds);

}  // namespace schedcc
