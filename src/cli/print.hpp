#pragma once

// Text and JSON that only the command line prints.

#include <string>

#include "analysis/report_text.hpp"
#include "cli/options.hpp"
#include "core/json.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

/// Colours if the terminal supports them or the user requests them.
class Printer : public Style {
 public:
  /// `fd`: standard output or standard error, which decides about `Color::automatic`.
  Printer(int fd, Color color);
};

/// "FILE:LINE:COLUMN: error: MESSAGE", or "schedcc: error: MESSAGE" where there is no location.
std::string text(const Printer& printer, const SourceLocation& location,
                 const std::string& message);

/// A document for --json, or --json-lines.
std::string dump(const Json& document, const ReportOptions& options);

/// The entry of a file that could not be read.
Json json(const SourceLocation& location, const std::string& message);

}  // namespace schedcc::cli
