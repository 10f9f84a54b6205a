#pragma once

// Other encodings of the questions of `prove`, in SMT-LIB, for collectives without reductions.

#include <string>

#include "prove/sat/question/instance.hpp"

namespace encodings {

/// SCCL's (Cai et al. 2021, section 3): an integer for the step in which a chunk arrives, a Boolean
/// for each (chunk, arc), sums of them per arc and step.
std::string integers(const schedcc::prover::Question& asked);
/// The same with bit-vectors for integers.
std::string bit_vectors(const schedcc::prover::Question& asked);
/// The same with a Boolean for each step in which a chunk may arrive, and pseudo-Boolean
/// constraints.
std::string pseudo_boolean(const schedcc::prover::Question& asked);

}  // namespace encodings
