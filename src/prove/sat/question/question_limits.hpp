#pragma once

// The questions that the prover takes: by their machine, their options and their size.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/saturating.hpp"
#include "prove/sat/question/instance.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The most places at which arcs take channels, over all steps: each is a literal.
constexpr std::uint64_t max_channel_uses = 40'000'000;

/// What is said of a question with more of them.
std::string too_many_channel_uses(const Question& question);

/// Throws InputError if the prover does not support the question, InstanceTooLarge if one step of
/// it would not fit into memory.
void check_question(const Question& question);

/// Why the clauses of a question would not fit into memory; none if they would.
std::optional<std::string> clauses_refusal(const Question& question, const Instance& instance);

/// About how many transfers a schedule can be chosen from.
double possible_transfers(const Question& question);

/// Rounds beyond one each that `steps` share, and those of them that one step can use: a chunk
/// crosses a link once in a step, which bounds the useful rounds.
std::pair<std::uint64_t, std::uint64_t> useful_rounds(const Question& question,
                                                      Saturating capacity);

}  // namespace schedcc::prover
