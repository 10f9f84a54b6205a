#pragma once

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// The bound from ports, raised for a total exchange to the bound of the narrowest cut of the
/// channels. `width` >= 1 chunks to a message.
LowerBound raised_by_cuts(LowerBound ports, const Problem& problem, const Channels& channels,
                          std::uint64_t width);

/// Networks: from distances and from the chunks that must leave or enter a rank, for steps of at
/// most `rounds` rounds. None if no schedule exists, or if there are too many ranks to compute it.
LowerBound network_bound(const Problem& problem, const Network& network, std::uint64_t rounds);

}  // namespace schedcc
