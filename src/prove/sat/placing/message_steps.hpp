#pragma once

// A search for a schedule without a solver, where every chunk goes to one rank: messages are placed
// in steps, and those that are in the way are placed again.

#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule of chunks for one rank each (has_single_goals) with the steps of the instance, which
/// the checker has yet to check: the first that a search finds, always the same one. It ends after
/// `moves` moves of messages between steps. nullptr if none is found, if ports or channels cannot
/// carry all messages, or if the problem is large or the machine of another kind (takes_packets).
std::shared_ptr<const Schedule> place_messages(const Instance& instance,
                                               const std::vector<Delivery>& chunks,
                                               std::uint64_t moves,
                                               const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
