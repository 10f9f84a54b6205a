#pragma once

// Lowering: an endpoint schedule on a routed machine becomes a hop-level one.

#include <memory>

#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Every transfer takes its route, one link a step and without waiting, from its step on. Into
/// routers a packet is copied; the last hop copies or reduces as the transfer says. A rank on the
/// route holds nothing of what passes it, which only the origins of the hops tell. Memory: the hops
/// under way. Transfers must be between ranks 0..ranks-1.
std::unique_ptr<StepStream> lower(std::unique_ptr<StepStream> endpoint, const Machine& machine,
                                  Rank ranks);

/// The source's hops, for what counts or times them; as it is if it is at hop level already.
Source lower(Source source, const Machine& machine);

/// The source as a hop-level schedule, with the same meaning. At hop level a rank holds what
/// reaches it: throws InputError, with the transfer, where a route passes a rank.
Source at_hop_level(Source source, const Machine& machine);

}  // namespace schedcc
