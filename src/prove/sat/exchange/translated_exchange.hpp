#pragma once

// Total exchanges on tori whose steps are translations of a few.

#include <memory>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule with the steps of the instance for chunks from each rank to each other one, as many
/// for all, on a torus; the checker has yet to check it. nullptr if none is found, or if the
/// instance is not of that kind. Throws LimitsReached and MemoryReached.
std::shared_ptr<const Schedule> translated_exchange(const Instance& instance,
                                                    const std::vector<Delivery>& chunks,
                                                    const RankRows& rows, const SolverEntry& solver,
                                                    const SolverLimits& limits);

}  // namespace schedcc::prover
