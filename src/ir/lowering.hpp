#pragma once

// Lowering: an endpoint schedule on a routed machine becomes a hop-level one.

#include <memory>

#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Every transfer takes its route, one link a step and without waiting, from its step on. Into
/// routers a packet is copied; the last hop copies or reduces as the transfer says. Hops carry
/// their origins. Memory: the hops under way. Transfers must be between nodes of the network.
std::unique_ptr<StepStream> lower(std::unique_ptr<StepStream> endpoint,
                                  std::shared_ptr<const Network> network, Rank ranks);

/// The source at hop level; as it is if it is there already.
Source lower(Source source, const Machine& machine);

}  // namespace schedcc
