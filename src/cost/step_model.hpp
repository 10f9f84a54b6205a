#pragma once

// What a machine's model says of messages that start together, as a model of its own: start-up and
// time per byte of one step. Tuning asks it for the parts of compositions.

#include <cstdint>
#include <utility>
#include <vector>

#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// The source and the destination of each message of a step.
using StepMessages = std::vector<std::pair<Rank, Rank>>;

/// Ranks 0, `apart`, 2 `apart`, ..., each of which sends `each` messages to those `shift`,
/// 2 `shift`, ... after it in its group, whose ranks divide all of them; where there are no more,
/// to the first of them again.
StepMessages ring_messages(Rank ranks, Rank group, Rank shift, Rank apart, std::uint64_t each = 1);

/// A schedule of this one step, in which each message is a chunk of its own.
Source step_of(const StepMessages& messages);

/// The time of a step with these messages, which are of the same size: alpha-beta. The model is
/// synchronous.
CostModel model_of_step(const StepMessages& messages, const Machine& machine,
                        const CostModel& model);

}  // namespace schedcc
