#pragma once

// Bounds on the steps of questions of copies that need no clauses.

#include <cstdint>
#include <vector>

#include "core/saturating.hpp"
#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// Machines with ports: how many chunks all ranks together can have received, at most, when step 0,
/// 1, ..., `steps` begins.
std::vector<Saturating> most_received(const Instance& instance, const std::vector<Delivery>& chunks,
                                      std::uint64_t steps);

/// Machines with ports: do fewer chunks fit into the steps than are wanted, of all ranks together
/// or of what a source can send?
bool too_many(const Instance& instance, const std::vector<Delivery>& chunks);

/// Is a node too far away, does it want more than it can receive, or are ports and channels too few
/// for all chunks?
bool too_few_steps(const CopyQuestion& question, const PollLimits& poll_limits);

}  // namespace schedcc::prover
