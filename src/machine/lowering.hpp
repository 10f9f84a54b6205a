#pragma once

// Lowering, as checks and costs use it.

#include <memory>

#include "schedcc/lowering.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Every transfer takes its route, one link a step and without waiting, starting in its step. Into
/// routers a packet is copied; the last hop copies or reduces as the transfer says. A rank on the
/// route does not hold the chunks in transit; only the origins of the hops show the difference.
/// Memory: the hops under way. Transfers must be between ranks 0..ranks-1.
std::unique_ptr<StepStream> lower(std::unique_ptr<StepStream> endpoint, const Machine& machine,
                                  Rank ranks);
/// The same for a source, on a machine with a network; the source itself if it is at hop level.
Source lower(Source source, const Machine& machine);

}  // namespace schedcc
