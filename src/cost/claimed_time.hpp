#pragma once

// From the steps and the volume that an algorithm promises to the time that it takes.

#include <cstdint>
#include <optional>

#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

/// Does a promise say what a schedule for the request takes under the model, with no message to be
/// looked at? So it does where every step has one chunk at the busiest port, or link.
bool steps_tell_time(const Algorithm& algorithm, const Request& request, const CostClaim& claim,
                     const CostModel& model);

/// Does a rank send at most one message in a step, and receive at most one? So it does on machines
/// with one port, and in everything that is made for them.
bool one_message_each(const Algorithm& algorithm, const Request& request);

/// The formula of steps and volume that the algorithm promises, in time. `bytes` are those of the
/// message, or of a block. Nothing if it promises too little, for other machines, or if the time of
/// a step does not follow from its largest message.
std::optional<TimeFormula> claimed_time(const Algorithm& algorithm, const Request& request,
                                        const CostModel& model, double bytes);

}  // namespace schedcc
