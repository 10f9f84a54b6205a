// A report as text and as JSON.

#include "analysis/report_text.hpp"

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/printable.hpp"

namespace schedcc {

std::string Style::paint(std::string_view code, std::string_view text) const {
  return colored_ ? fmt::format("\x1b[{}m{}\x1b[m", code, text) : std::string(text);
}

std::string Style::severity(Severity severity) const {
  const std::string_view code = severity == Severity::error     ? "1;31"
                                : severity == Severity::warning ? "1;35"
                                                                : "1;36";
  return paint(code, name(severity));
}

std::string Style::verdict(Verdict verdict) const {
  return paint(verdict == Verdict::holds ? "1;32" : "1;31", name(verdict));
}

std::string Style::bold(std::string_view text) const { return paint("1", text); }

std::string where(const std::string& file, std::uint32_t line, std::uint32_t column) {
  std::string result = file == "-" ? "<stdin>" : without_controls(file);
  if (line != 0) result += fmt::format(":{}", line);
  if (column != 0) result += fmt::format(":{}", column);
  return result;
}

std::string cite(const TransferLocation& location) {
  const std::string line = location.line != 0 ? fmt::format(", line {}", location.line) : "";
  return fmt::format("{} -> {} (step {}{})", location.src, location.dst, location.step, line);
}

std::string text(const Style& style, const Finding& finding, const std::string& file,
                 const std::string& schedule) {
  const std::string place = file.empty() ? schedule : where(file, finding.line, finding.column);
  const std::string check = finding.check.empty() ? "" : fmt::format(" [{}]", finding.check);
  return fmt::format("{}: {}: {}{}\n", style.bold(place), style.severity(finding.severity),
                     finding.message, check);
}

namespace {

std::string owner(const Report& report) {
  return report.file.empty() ? report.schedule : where(report.file, 0, 0);
}

std::string bounded(std::uint64_t value, std::string_view what,
                    const std::optional<std::uint64_t>& bound) {
  return bound ? fmt::format("{} {} (bound {})", value, what, *bound)
               : fmt::format("{} {}", value, what);
}

std::string figures(const Report& report) {
  const LowerBound none;
  const LowerBound& bound = report.lower_bound ? *report.lower_bound : none;
  std::string result = bounded(report.steps,
                               report.timed        ? "cycles"
                               : report.steps == 1 ? "step"
                                                   : "steps",
                               bound.steps);
  result += fmt::format(", volume {}", report.volume);
  if (bound.volume) result += fmt::format(" (bound {})", *bound.volume);
  result += ", " + counted(report.transfers, "transfer");
  if (report.hops) result += ", " + counted(*report.hops, "hop");
  if (report.threadblocks) result += ", " + counted(*report.threadblocks, "threadblock");
  if (report.congestion) result += fmt::format(", congestion {}", *report.congestion);
  if (report.max_buffer) result += fmt::format(", longest queue {}", *report.max_buffer);
  return result;
}

/// A line about the queues at the routers of each level; empty if there are none.
std::string queues(const Style& style, const Report& report) {
  std::string result;
  bool any = false;
  for (const LevelQueues& q : report.queues) {
    any |= q.up > 0 || q.down > 0 || q.claimed;
    result += fmt::format("{} {}/{}", result.empty() ? "" : ",", q.up, q.down);
    if (q.claimed) result += fmt::format(" ({})", *q.claimed);
  }
  if (!any) return {};
  const bool claimed = report.queues.front().claimed.has_value();
  return fmt::format("{}: queues up/down{} at the routers of levels 1..{}:{}\n",
                     style.bold(owner(report)), claimed ? " (claimed)" : "", report.queues.size(),
                     result);
}

/// " (r=3 chosen)"; empty if nothing was.
std::string chosen(const Report& report) {
  std::string result;
  for (const auto& [name, value] : report.chosen)
    result += fmt::format("{}{}={}", result.empty() ? " (" : ", ", name, value);
  return result.empty() ? result : result + " chosen)";
}

std::string failed_checks(const Report& report) {
  std::string result;
  for (const CheckResult& check : report.checks) {
    if (check.verdict == Verdict::holds || check.verdict != report.verdict()) continue;
    result += fmt::format("{}{}", result.empty() ? " " : ", ", check.check);
  }
  return result;
}

/// A line for each check that is undecided, where that decides the verdict.
std::string reasons(const Style& style, const Report& report) {
  std::string result;
  if (report.verdict() != Verdict::unknown) return result;
  if (report.checks.empty()) {
    result += fmt::format("{}: note: none of the requested checks applies to {} on {}\n",
                          style.bold(owner(report)), report.collective, report.machine);
  }
  for (const CheckResult& check : report.checks) {
    if (check.reason.empty()) continue;
    result += fmt::format("{}: note: undecided: {} [{}]\n", style.bold(owner(report)), check.reason,
                          check.check);
  }
  return result;
}

std::string summary(const Style& style, const Report& report) {
  const std::string problem = fmt::format(
      "{}, {}{}, {} on {}{}", report.title.empty() ? report.collective : report.title,
      counted(report.ranks, "rank"), report.root ? fmt::format(", root {}", *report.root) : "",
      counted(report.chunks, "chunk"), report.machine, chosen(report));
  return fmt::format("{}: {}{}: {}: {}\n", style.bold(owner(report)),
                     style.verdict(report.verdict()), failed_checks(report), problem,
                     figures(report));
}

}  // namespace

std::string to_text(const Report& report, bool colored) {
  const Style style(colored);
  std::string result;
  for (const Finding& finding : report.findings)
    result += text(style, finding, report.file, report.schedule);
  if (report.findings_total > report.findings.size()) {
    result += fmt::format("{}: {} not shown (--max-findings)\n", style.bold(owner(report)),
                          counted(report.findings_total - report.findings.size(), "more finding"));
  }
  result += reasons(style, report);
  return result + summary(style, report) + queues(style, report);
}

namespace {

Json json(const FindingCause& cause) {
  Json result{{"kind", cause.kind}};
  if (cause.rank) result["rank"] = *cause.rank;
  if (cause.step) result["step"] = *cause.step;
  if (cause.src) result["src"] = *cause.src;
  if (cause.dst) result["dst"] = *cause.dst;
  if (cause.line != 0) result["line"] = std::uint64_t{cause.line};
  if (cause.meets) {
    Json meets{{"step", cause.meets->step}, {"src", cause.meets->src}, {"dst", cause.meets->dst}};
    if (cause.meets->line != 0) meets["line"] = std::uint64_t{cause.meets->line};
    result["meets"] = std::move(meets);
  }
  if (cause.chunks != 0) result["chunks"] = cause.chunks;
  if (cause.ranks != 0) result["ranks"] = cause.ranks;
  if (cause.transfers != 0) result["transfers"] = cause.transfers;
  return result;
}

}  // namespace

Json json(const Finding& finding, const std::string& file) {
  Json result{{"check", finding.check}, {"severity", name(finding.severity)}};
  const auto put = [&](const char* key, const std::optional<std::uint64_t>& value) {
    if (value) result[key] = *value;
  };
  put("threadblock", finding.threadblock);
  put("step", finding.step);
  put("rank", finding.rank);
  put("src", finding.src);
  put("dst", finding.dst);
  put("chunk", finding.chunk);
  if (!file.empty()) result["file"] = file;
  if (finding.line != 0) result["line"] = finding.line;
  if (finding.column != 0) result["column"] = finding.column;
  result["message"] = finding.message;
  if (finding.cause) result["cause"] = json(*finding.cause);
  for (const InstructionLocation& other : finding.others) {
    Json place{{"threadblock", other.threadblock}, {"step", other.step}, {"rank", other.rank}};
    if (other.line != 0) place["line"] = other.line;
    result["others"].push_back(std::move(place));
  }
  return result;
}

Json json(const Report& report) {
  const char* const steps = report.timed ? "time" : "steps";
  Json result{{"schedule", report.schedule}, {"collective", report.collective}};
  if (!report.title.empty()) result["title"] = report.title;
  result["machine"] = report.machine;
  for (const auto& [parameter, value] : report.chosen) result["chosen"][parameter] = value;
  result["ranks"] = report.ranks;
  if (report.root) result["root"] = *report.root;
  result["chunks"] = report.chunks;
  if (!report.file.empty()) result["file"] = report.file;
  result["verdict"] = name(report.verdict());
  result[steps] = report.steps;
  result["volume"] = report.volume;
  result["transfers"] = report.transfers;
  if (report.hops) result["hops"] = *report.hops;
  if (report.threadblocks) result["threadblocks"] = *report.threadblocks;
  result["messages"] = report.messages;
  result["width"] = report.width;
  if (report.lower_bound) {
    result["lower_bound"] = Json{{steps, report.lower_bound->steps},
                                 {"volume", report.lower_bound->volume},
                                 {"source", report.lower_bound->source}};
  }
  if (report.congestion) result["congestion"] = *report.congestion;
  if (report.max_buffer) result["max_buffer"] = *report.max_buffer;
  for (const LevelQueues& q : report.queues) {
    Json level{{"level", q.level}, {"up", q.up}, {"down", q.down}};
    if (q.claimed) level["claimed"] = *q.claimed;
    result["queues"].push_back(std::move(level));
  }
  result["checks"] = Json::array();
  for (const CheckResult& check : report.checks) {
    result["checks"].push_back({{"check", check.check}, {"verdict", name(check.verdict)}});
    if (!check.reason.empty()) result["checks"].back()["reason"] = check.reason;
    if (check.warnings != 0) result["checks"].back()["warnings"] = check.warnings;
  }
  result["findings"] = Json::array();
  for (const Finding& finding : report.findings)
    result["findings"].push_back(json(finding, report.file));
  result["findings_total"] = report.findings_total;
  return result;
}

std::string to_json(const Report& report) { return dump(json(report)); }

}  // namespace schedcc
