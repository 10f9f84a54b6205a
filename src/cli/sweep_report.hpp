#pragma once

// What a sweep prints.

#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/sweep_tally.hpp"

namespace schedcc::cli {

/// A tally for each algorithm that was swept, by its name, in order.
using SweepTallies = std::vector<std::pair<std::string, Tally>>;

/// A line for each algorithm, with --quiet only for those that fail, and what failed and was
/// skipped of it; or JSON.
std::string sweep_report(const SweepTallies& tallies, const SweepOptions& options);

}  // namespace schedcc::cli
