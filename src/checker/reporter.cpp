#include "checker/reporter.hpp"

#include <fmt/format.h>

namespace schedcc {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::unknown:
      return "unknown";
  }
  return "?";
}

std::string_view name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

Verdict Report::verdict() const {
  Verdict result = checks.empty() ? Verdict::unknown : Verdict::holds;
  for (const CheckResult& check : checks) {
    if (check.verdict == Verdict::violated) return Verdict::violated;
    if (check.verdict == Verdict::unknown) result = Verdict::unknown;
  }
  return result;
}

Located locate(const Step& step, std::size_t index) {
  Located where{.step = step.number, .transfer = step.transfers[index]};
  if (!step.lines.empty()) where.line = step.lines[index];
  if (!step.origins.empty()) {
    where.origin = step.origins[index];
    where.line = where.origin.line;
    where.hop = true;
  }
  return where;
}

Finding about(const Located& where, std::uint64_t chunk, std::string message) {
  Finding finding;
  finding.step = where.step;
  finding.rank = finding.src = where.transfer.src;
  finding.dst = where.transfer.dst;
  finding.chunk = chunk;
  finding.line = where.line;
  if (where.hop) {
    message += fmt::format(" (a hop of {} -> {} from step {})", where.origin.src, where.origin.dst,
                           where.origin.step);
  }
  finding.message = std::move(message);
  return finding;
}

}  // namespace schedcc
