#pragma once

// Checking an input on behalf of a command.

#include "cli/options.hpp"
#include "cli/sources.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

/// Checks the input, showing progress on a terminal unless `quiet`.
Report check_input(const Input& input, CheckOptions check, const FileOptions& file, bool quiet);

/// Prints a report as JSON on standard output, or as text on standard error.
void print_report(const Report& report, const ReportOptions& options);

}  // namespace schedcc::cli
