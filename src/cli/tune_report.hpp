#pragma once

// The report of `tune`: as text, JSON, CSV, and as a plot.

#include <string>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/tune_study.hpp"

namespace schedcc::cli {

/// Tables in text: all algorithms for one size, or the best algorithm at each size of a range.
std::string tune_text(const Tune& tune, const TuneOptions& options);
/// A document of docs/tune.schema.json.
std::string tune_json(const Tune& tune);
/// All algorithms at all sizes, a line each.
std::string tune_csv(const Tune& tune);
/// Writes an SVG of the times, or of the improvements, over the size.
void tune_plot(const Tune& tune, const TuneOptions& options, Output& out);

}  // namespace schedcc::cli
