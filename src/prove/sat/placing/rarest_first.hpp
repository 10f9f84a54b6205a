#pragma once

// A search for a schedule without a solver: step by step, the rarest packets first.

#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule of copies with the steps of the instance, which the checker has yet to check: the
/// first of some tries, each with other random numbers, always the same. There are so many tries
/// that they have `receptions` receptions of packets together, and at least one. nullptr if none is
/// found, if counting shows that there is none, or if the problem is large or the machine of
/// another kind (takes_packets).
std::shared_ptr<const Schedule> rarest_first(const Instance& instance,
                                             const std::vector<Delivery>& chunks,
                                             std::uint64_t receptions,
                                             const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
