#pragma once

// The result of a search, as questions and text.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The question with the largest number of steps that is known not to be enough: `least` - 1.
Question below(const Question& question, std::uint64_t least);

/// The same, for the result; none if no number of steps is known not to be enough. If some chunk
/// has no path, no number is enough: then the question with as many steps as there are reachable
/// nodes.
std::optional<Question> most_refuted(const Question& question, const Outcome& outcome);

/// A question that was taken to be impossible, and where the bound by counting is from.
struct Assumption {
  Question question;
  std::string source;
};

/// What the result takes for granted: for each number of chunks whose least steps are from counting
/// the question with one step less.
std::vector<Assumption> assumptions(const Question& question, const Outcome& outcome);

/// The question of an entry in the search for an answer to `question`.
Question question_of(const Question& question, const SearchResult& entry);

/// "K = 2, T = 4, R = 5: impossible (0.02 s)"; `chunks`: also their number.
std::string search_result_text(const SearchResult& entry, bool chunks);

/// Why no number of steps is enough: "there is no path from rank 0 to rank 2".
std::string unreachable_text(const Unreachable& way);

}  // namespace schedcc::prover
