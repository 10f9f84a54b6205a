#pragma once

// An encoded question, decided: by one solver and the relaxation, or by several that must agree.

#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/solve/solver.hpp"

namespace schedcc::prover {

/// Gives the question, in this encoding, to all solvers, and keeps a certificate of a refutation if
/// one is wanted. What they find has passed the checker. Throws InternalError if they contradict
/// each other.
Decision solve(const PreparedQuestion& prepared, const Encoding& encoding,
               const std::vector<const SolverEntry*>& solvers, const SolverLimits& limits,
               const CertificateOptions& certificate = {});

}  // namespace schedcc::prover
