#pragma once

// Schedules of the algorithms of the registry as answers: where one of them takes no more steps
// than the lower bound allows, no solver needs to find a schedule.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// A schedule that has passed the checker for the question, whatever its number of steps.
struct Construction {
  std::string name;  ///< of the algorithm, with its parameters, or of the composition
  std::shared_ptr<const Schedule> schedule;
  std::uint64_t steps;
};

/// The one with the fewest steps: of every algorithm, and every composition of two, that serves the
/// problem on the machine, its messages cut to the machine's width. None if there is none, on
/// networks and LogP, for custom collectives, or if the limits are reached first.
std::optional<Construction> best_construction(const Question& question, const SolverLimits& limits);

}  // namespace schedcc::prover
