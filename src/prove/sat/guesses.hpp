#pragma once

// Schedules of some kind, which are looked for before all schedules are.

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/solve/solver.hpp"

namespace schedcc::prover {

/// Decides a question that a solver would take long for, and that counting leaves open, by a
/// schedule of some kind, if one is found soon. If its formula would be large, that may be one in
/// which chunks take shortest paths only; first one that pairings preserve, as many as there are,
/// then fewer. The formulas for these are small.
Decision decide_by_guesses(const PreparedQuestion& prepared, const SolverEntry& solver,
                           const SolverLimits& limits);

}  // namespace schedcc::prover
