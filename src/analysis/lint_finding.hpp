#pragma once

// What `lint` finds in files that a library reads.

#include <string>
#include <string_view>

#include "schedcc/error.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// A remark on a place in a file. Warnings and errors are findings; notes are not.
struct LintFinding {
  Severity severity = Severity::warning;
  std::string_view rule;  ///< the kind of finding, one of docs/formats.md, "Lint"
  SourceLocation location;
  std::string message;
};

}  // namespace schedcc
