#pragma once

// The report of the checks of a program, or of a plan, while they are made.

#include <initializer_list>
#include <string_view>

#include "analysis/reporter.hpp"
#include "program/findings.hpp"
#include "schedcc/check.hpp"
#include "schedcc/report.hpp"

namespace schedcc::program {

class ProgramReport {
 public:
  /// All requested checks hold so far; the notes of the source's reader are in it. `problem`: with
  /// `end_known` false, nothing is known of its end state. The arguments outlive it.
  ProgramReport(const Source& source, const Problem& problem, bool end_known,
                const CheckOptions& options);

  /// Is the check requested, and does it apply?
  bool wanted(std::string_view check) const;
  /// Makes those of the checks that hold so far unknown, for a reason.
  void undecided(std::initializer_list<std::string_view> checks, std::string_view reason);
  /// Reports a finding if its check is wanted. `strict`: notes are errors.
  void add(const ProgramFinding& finding, bool strict = false);
  /// The report, with the findings; checks with errors are violated.
  Report take();

  Report report;
  Reporter reporter;

 private:
  const CheckOptions& options_;
  bool sums_;  ///< does `agreement` apply?
};

}  // namespace schedcc::program
