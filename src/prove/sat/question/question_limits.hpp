#pragma once

// The questions that the prover takes: by their machine, their options and their size.

#include <cstdint>
#include <utility>

#include "core/saturating.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// Throws InputError if the prover does not support the question, InstanceTooLarge if the formula
/// would not fit into memory.
void check_question(const Question& question);

/// About how many transfers a schedule can be chosen from.
double possible_transfers(const Question& question);

/// Rounds beyond one each that `steps` share, and those of them that one step can use: a chunk
/// crosses a link once in a step, which bounds the useful rounds.
std::pair<std::uint64_t, std::uint64_t> useful_rounds(const Question& question,
                                                      Saturating capacity);

}  // namespace schedcc::prover
