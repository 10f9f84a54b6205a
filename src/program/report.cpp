#include "program/report.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/describe_source.hpp"
#include "analysis/shared_sums.hpp"

namespace schedcc::program {

ProgramReport::ProgramReport(const Source& source, const Problem& problem, bool end_known,
                             const CheckOptions& options)
    : reporter(options.max_findings, options.strict),
      options_(options),
      sums_(end_known && shares_sums(problem)) {
  describe_source(source, problem, report);
  for (const CheckInfo& check : program_checks()) {
    if (wanted(check.name)) report.checks.push_back({check.name, Verdict::holds});
  }
  reporter.notes(source.notes);
}

bool ProgramReport::wanted(std::string_view check) const {
  if (check == "agreement" && !sums_) return false;
  return !options_.checks || std::ranges::find(*options_.checks, check) != options_.checks->end();
}

void ProgramReport::undecided(std::initializer_list<std::string_view> checks,
                              std::string_view reason) {
  for (CheckResult& result : report.checks) {
    if (result.verdict == Verdict::holds && std::ranges::find(checks, result.check) != checks.end())
      result = {result.check, Verdict::unknown, std::string(reason)};
  }
}

void ProgramReport::add(const ProgramFinding& finding, bool strict) {
  if (!wanted(finding.check)) return;
  const auto make = [&] { return finding_at(finding.location, finding.message, finding.others); };
  if (finding.note.empty() || strict) {
    reporter.error(finding.check, make);
  } else {
    reporter.note(finding.check, finding.note, make);
  }
}

Report ProgramReport::take() {
  for (CheckResult& result : report.checks) {
    if (reporter.violated(result.check)) result = {result.check, Verdict::violated};
    reporter.conclude(result);
  }
  report.findings = reporter.take();
  report.findings_total = reporter.total();
  return std::move(report);
}

}  // namespace schedcc::program
