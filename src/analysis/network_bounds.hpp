#pragma once

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// The bound that ports give, raised for a total exchange to what must pass the narrowest cut of
/// the channels. `width` >= 1 chunks to a message.
LowerBound raised_by_cuts(LowerBound ports, const Problem& problem, const Channels& channels,
                          std::uint64_t width);

/// Networks, from distances and from what must leave or enter a rank, for steps of at most `rounds`
/// rounds. None where no schedule exists, or where there are too many ranks to work it
/// out.
LowerBound network_bound(const Problem& problem, const Network& network, std::uint64_t rounds);

}  // namespace schedcc
