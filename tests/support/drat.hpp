#pragma once

// A checker of DRAT proofs of unsatisfiability, independent of all solvers.

#include <string>

namespace drat {

/// Checks a proof in DRAT, as text, of a formula in DIMACS: clauses are added, each of which must
/// follow by unit propagation (RUP; clauses that are only RAT are not accepted), or deleted, until
/// the empty clause follows. The reason why the proof is none; empty if it is one.
std::string fault(const std::string& dimacs, const std::string& proof);

}  // namespace drat
