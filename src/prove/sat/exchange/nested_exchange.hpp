#pragma once

// Broadcasts in which halves of the ranks exchange packets, in groups of groups.

#include <memory>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule for a broadcast by one port on a grid, with exchange_steps, which the checker has yet
/// to check. nullptr if none is found, or if the instance is not of that kind.
std::shared_ptr<const Schedule> nested_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                const RankRows& rows, const SolverEntry& solver,
                                                const SolverLimits& limits);

}  // namespace schedcc::prover
