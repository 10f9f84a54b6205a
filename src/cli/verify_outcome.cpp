#include "cli/verify_outcome.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "cli/print.hpp"
#include "core/counted.hpp"

namespace schedcc::cli {

std::vector<Remark> remarks(const Outcome& outcome) {
  if (!outcome.report) {
    const char* const rule = outcome.status == undecided ? "undecided" : "unreadable";
    return {{Severity::error, rule, outcome.location, outcome.message}};
  }
  const Report& report = *outcome.report;
  const SourceLocation file{report.file, 0, 0};
  std::vector<Remark> result;
  for (const Finding& f : report.findings) {
    result.push_back(
        {f.severity, std::string(f.check), {report.file, f.line, f.column}, f.message});
  }
  if (report.findings_total > report.findings.size()) {
    const auto violated =
        std::ranges::find(report.checks, Verdict::violated, &CheckResult::verdict);
    const std::string_view check = !report.findings.empty()          ? report.findings.back().check
                                   : violated != report.checks.end() ? violated->check
                                                                     : "shape";
    const std::uint64_t more = report.findings_total - report.findings.size();
    result.push_back({Severity::note, std::string(check), file,
                      fmt::format("{} more, see --max-findings", counted(more, "finding"))});
  }
  for (const CheckResult& check : report.checks) {
    if (check.verdict != Verdict::unknown) continue;
    result.push_back({Severity::warning, std::string(check.check), file,
                      fmt::format("this check is undecided: {}", check.reason)});
  }
  if (report.below_bound) {
    result.push_back({Severity::error, "bound", file, below_bound});
  }
  return result;
}

std::string verdict_line(const Outcome& outcome) {
  if (!outcome.report) return {};
  const std::string all = to_text(*outcome.report);
  const std::size_t before = all.rfind('\n', all.size() - 2);
  return all.substr(before == std::string::npos ? 0 : before + 1);
}

Json json(const Outcome& outcome) {
  if (outcome.report) return schedcc::json(*outcome.report);
  Json result = json(outcome.location, outcome.message);
  if (outcome.status == undecided) result["verdict"] = "unknown";
  return result;
}

}  // namespace schedcc::cli
