#pragma once

// What `tune` found out, as text, JSON, CSV, and drawn.

#include <string>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/tune_study.hpp"

namespace schedcc::cli {

/// Tables for people: of one size all algorithms, of a range the best of each size.
std::string tune_text(const Tune& tune, const Options& options);
/// A document of docs/tune.schema.json.
std::string tune_json(const Tune& tune);
/// All algorithms at all sizes, a line each.
std::string tune_csv(const Tune& tune);
/// Writes an SVG of the times, or of the improvements, over the size.
void tune_plot(const Tune& tune, const Options& options, Output& out);

}  // namespace schedcc::cli
