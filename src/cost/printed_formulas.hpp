#pragma once

// The formulas of the papers.

#include <string_view>
#include <vector>

#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

/// The formulas that the papers print for the time of the algorithm under the model. `bytes` are
/// those of the message, or of a block.
std::vector<TimeFormula> printed_formulas(const Algorithm& algorithm, const Request& request,
                                          const CostModel& model, double bytes);

/// The algorithms that have formulas, by name; some several times.
std::vector<std::string_view> algorithms_with_formulas();

}  // namespace schedcc
