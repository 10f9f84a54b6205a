#pragma once

// What the reports of `tune`, as text and as figures, have in common.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/tune.hpp"

namespace schedcc {

/// (algorithms that were skipped for the same reason, "ring, chain"; the reason), in order.
std::vector<std::pair<std::string, std::string>> skipped_by_reason(const TuneStudy& study);

/// The best choice by the algorithm `improved`, and the best of the others; nullptr: there is none.
struct ImprovedChoice {
  const Choice* improved = nullptr;
  const Choice* other = nullptr;
};
ImprovedChoice improved_choice(const std::vector<Choice>& choices, const std::string& improved);

/// The time of a choice by the first of the papers' formulas.
std::optional<double> formula_time(const CostModel& model, const TuneStudy& study,
                                   const TunedSize& size, const Choice& choice);
/// The command that makes the schedule of a choice.
std::string command_of(const TuneStudy& study, const Choice& choice);

}  // namespace schedcc
