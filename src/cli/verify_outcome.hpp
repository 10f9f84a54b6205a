#pragma once

// What `verify` found in each file, and how it is written for other programs.

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/json.hpp"
#include "schedcc/error.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

/// Of a schedule that passes all checks below a lower bound.
constexpr const char* below_bound =
    "internal error: the schedule holds in fewer steps than the lower bound";

/// The result for one file.
struct Outcome {
  Status status = ok;
  std::optional<Report> report;  ///< none: the file could not be read, or not be checked
  std::string notes;             ///< printed before the report
  SourceLocation location;       ///< of an error
  std::string message;
};

/// One thing to say about a file: a finding, an undecided check, or why there is no report.
struct Remark {
  Severity severity;
  std::string rule;  ///< the check, or "unreadable" or "undecided"
  SourceLocation location;
  std::string message;
};

/// The notes and findings of a file, in order; none if all checks hold without any. Findings beyond
/// --max-findings are counted in a note.
std::vector<Remark> remarks(const Outcome& outcome);

/// The line of the verdict.
std::string verdict_line(const Outcome& outcome);

/// The report of --json: one object, or an array.
Json json(const Outcome& outcome);
/// Workflow commands of GitHub's actions, which become annotations, and the verdicts.
std::string github_text(const std::vector<Outcome>& outcomes, bool quiet);
/// A log in SARIF 2.1.0 (OASIS).
std::string sarif_text(const std::vector<Outcome>& outcomes, Status status);
/// A test suite in the XML of JUnit, in which each file is a test case.
std::string junit_text(const std::vector<Outcome>& outcomes);

}  // namespace schedcc::cli
