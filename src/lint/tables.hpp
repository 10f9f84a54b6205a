#pragma once

// Tables by which libraries choose: calls that no rule serves, rules that no call takes, algorithms
// that do not serve what they are chosen for, and the time that a choice loses.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/tuning/table.hpp"
#include "lint/library_times.hpp"

namespace schedcc {

/// The most that a rule loses against the best of the library's own algorithms.
struct Loss {
  double factor = 1;        ///< its time, divided by that of the best
  std::uint64_t bytes = 0;  ///< the size, as the library counts it
  std::string best;         ///< the library's name
};

/// A rule, the algorithm of schedcc that is the library's, and what it loses.
struct LintedRule {
  const TuningRule* rule = nullptr;
  std::string algorithm;  ///< empty: none is known
  std::optional<Loss> loss;
};

/// Appends what is found in the rules that were read.
void lint_rules(TuningTable& table);

/// The rules of the table, with their losses if they are requested, which are appended to the
/// findings if they are large. Throws InputError for a model that does not fit the machine.
std::vector<LintedRule> lint_losses(TuningTable& table, const LossRequest* request);

}  // namespace schedcc
