#pragma once

// Schedules for few chunks, one after another or at once, as a schedule for more.

#include <cstdint>
#include <optional>

#include "prove/sat/constructions.hpp"
#include "prove/sat/search.hpp"

namespace schedcc::prover {

/// A schedule with no more steps than the question has, in which schedules for fewer chunks follow
/// one another, or, with rounds, two for half of the chunks are one; it has passed the checker.
/// No value if lower bounds show that there is no such schedule, if it is not found soon, on LogP,
/// and for custom collectives.
std::optional<Construction> from_fewer_chunks(const Question& question,
                                              const SearchOptions& options);

/// A schedule with the steps of the question, or with more, at most twice as many: the best that
/// short searches packet by packet find, for fewer and fewer steps.
std::optional<Construction> soon_found(Question question, const SolverLimits& limits);

}  // namespace schedcc::prover
