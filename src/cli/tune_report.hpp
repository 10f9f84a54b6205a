#pragma once

// The report of `tune`, and its plot.

#include <cstdint>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "schedcc/tune.hpp"

namespace schedcc::cli {

/// --ranks, as they are listed. Throws UsageError and InputError.
std::vector<std::uint32_t> tuned_ranks(const TuneOptions& options);
/// --bytes, "4MiB", or "1KiB..16MiB": each twice the previous one, or --points at equal ratios,
/// including both ends; a barrier has none but 0. Throws UsageError and InputError.
std::vector<std::uint64_t> tuned_sizes(const TuneOptions& options, Collective collective);
/// The comparison that the options ask for: a study for each number of ranks. Throws UsageError and
/// InputError. `best_only`: as in TuneRequest.
TuneReport tune_report(const TuneOptions& options, bool best_only);
/// Writes an SVG of the times, or of the improvements, over the size.
void tune_plot(const TuneReport& report, const TuneOptions& options, Output& out);

}  // namespace schedcc::cli
