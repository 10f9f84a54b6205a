#pragma once

// Parts of the text of a symbolic proof.

#include <string>

#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// "broadcast, 8 ranks, root 0, every K >= 1, chain on duplex".
std::string subject(const SymbolicProof& proof);
/// ", K + 6 steps"; empty if the number was not computed.
std::string steps_clause(const SymbolicProof& proof);
/// A line; empty if there is none.
std::string counterexample_text(const SymbolicProof& proof);

}  // namespace schedcc::prover
