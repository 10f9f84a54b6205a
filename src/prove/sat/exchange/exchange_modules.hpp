#pragma once

// Broadcasts in which modules exchange packets, planned by numbers of labels.

#include <cstddef>
#include <memory>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule for a broadcast by one port on modules of `size` ranks each, the first of which are
/// 0 to size - 1, with exchange_steps, which the checker has yet to check. nullptr if none is
/// found, or if the instance is not of that kind.
std::shared_ptr<const Schedule> exchange_modules(const Instance& instance,
                                                 const std::vector<Delivery>& chunks,
                                                 std::size_t size, const SolverEntry& solver,
                                                 const SolverLimits& limits);

}  // namespace schedcc::prover
