#pragma once

// Schedules as answers that no solver needs to find: those of the algorithms of the registry, and
// those of fewer chunks joined.

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

/// A schedule of a problem with this number of chunks.
struct PartialSchedule {
  std::uint64_t chunks, steps;
  std::shared_ptr<const Schedule> schedule;
};

/// A schedule for the chunks of two parts: of each block first those of `a`. The steps of `b`
/// follow those of `a`.
Construction joined_in_sequence(const PartialSchedule& a, const PartialSchedule& b);
/// The same, but steps with the same number are one, with the rounds of both.
Construction joined_at_once(const PartialSchedule& a, const PartialSchedule& b);

}  // namespace schedcc::prover
