#pragma once

// The time of an algorithm from the steps and the volume that it claims.

#include <optional>

#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

/// Does a claim determine the time of a schedule for the request under the model, without its
/// messages? It does if every step has one chunk at the busiest port, or link.
bool steps_determine_time(const Algorithm& algorithm, const Request& request,
                          const CostClaim& claim, const CostModel& model);

/// Does a rank send at most one message in a step, and receive at most one? It does on machines
/// with one port, and in all schedules for them.
bool one_message_each(const Algorithm& algorithm, const Request& request);

/// The time by the steps and the volume that the algorithm claims. `bytes` are those of the
/// message, or of a block. None if it claims only one of both, for other machines, or if the time
/// of a step does not follow from its largest message.
std::optional<TimeFormula> claimed_time(const Algorithm& algorithm, const Request& request,
                                        const CostModel& model, double bytes);

}  // namespace schedcc
