#pragma once

// What was found out, as questions and words.

#include <cstdint>
#include <optional>
#include <string>

#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The question with the most steps that are known not to be enough, `least` being more than those.
Question below(const Question& question, std::uint64_t least);

/// The same, for what was found; none where no number of steps is known not to be enough. Where
/// there is no way, none is: then with as many as there are nodes that can be reached at all.
std::optional<Question> most_refuted(const Question& question, const Outcome& outcome);

/// Why no number of steps is enough: "no way leads from rank 0 to rank 2".
std::string unreachable_text(const Unreachable& way);

}  // namespace schedcc::prover
