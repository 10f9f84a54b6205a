#include "cli/lint_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/core.h>

#include "cli/print.hpp"
#include "core/counted.hpp"
#include "core/text_table.hpp"

namespace schedcc::cli {

std::size_t LintResult::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &LintFinding::severity));
}

Status LintResult::status() const {
  Status result = unreadable ? bad_input : ok;
  if (undecided) result = first_status(result, schedcc::cli::undecided);
  const bool found = std::ranges::any_of(findings, [](const LintFinding& f) {
    return f.severity != Severity::note && f.rule != "undecided";
  });
  return found ? first_status(result, violated) : result;
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string line(const Printer& printer, const LintFinding& finding) {
  Finding printed;
  printed.check = finding.rule;
  printed.severity = finding.severity;
  printed.line = finding.location.line;
  printed.column = finding.location.column;
  printed.message = finding.message;
  return text(printer, printed, finding.location.file, "schedcc");
}

std::string_view calls(const MscclHead& head) {
  if (head.in_place && head.out_of_place) return "both";
  return head.in_place ? "in place" : "out of place";
}

std::string programs_text(const LintResult& result) {
  Rows rows{{"collective", "GPUs", "calls", "bytes", "chunks", "channels", "protocol", "verdict",
             "program"}};
  std::vector<const LintedProgram*> sorted;
  for (const LintedProgram& program : result.programs) sorted.push_back(&program);
  std::ranges::stable_sort(sorted, [](const LintedProgram* a, const LintedProgram* b) {
    const auto key = [](const LintedProgram* p) {
      return std::tuple(std::string_view(p->head.collective), p->head.ranks, calls(p->head),
                        p->head.min_bytes);
    };
    return key(a) < key(b);
  });
  for (const LintedProgram* program : sorted) {
    const MscclHead& head = program->head;
    rows.push_back({head.collective, fmt::format("{}", head.ranks), std::string(calls(head)),
                    text(Interval{head.min_bytes, head.max_bytes}),
                    fmt::format("{}", head.chunks_per_loop), fmt::format("{}", head.channels),
                    head.protocol, head.loaded() ? std::string(name(program->verdict)) : "refused",
                    program->file});
  }
  return aligned(rows, "<><<>><<<");
}

std::string algorithm_text(const TuningRule& rule) {
  if (rule.algorithm.empty() && rule.number == 0 && !rule.applies) return "none";
  if (rule.algorithm.empty())
    return rule.number == 0 ? "fixed rules" : fmt::format("unknown ({})", rule.number);
  return rule.number == 0 ? rule.algorithm : fmt::format("{} ({})", rule.algorithm, rule.number);
}

std::string table_text(const LintedTable& linted) {
  const bool losses = std::ranges::any_of(
      linted.rules, [](const LintedRule& rule) { return rule.loss.has_value(); });
  Rows rows{{"line", "collective", "ranks", "bytes", "algorithm", "in schedcc"}};
  if (losses) rows.front().emplace_back("slower");
  for (const LintedRule& linted_rule : linted.rules) {
    const TuningRule& rule = *linted_rule.rule;
    rows.push_back(
        {fmt::format("{}", rule.line), rule.collective, rule.applies ? text(rule.ranks) : "none",
         rule.applies ? text(rule.bytes) : "none", algorithm_text(rule), linted_rule.algorithm});
    if (losses) {
      rows.back().push_back(linted_rule.loss ? fmt::format("{:.2f}x", linted_rule.loss->factor)
                                             : "");
    }
  }
  return aligned(rows, "><<<<<>");
}

/// "2 programs and 1 table: 1 error, 2 warnings", or "... : clean".
std::string verdict_text(const LintResult& result, const Printer& printer) {
  std::string read;
  if (!result.programs.empty()) read = counted(result.programs.size(), "program");
  if (!result.tables.empty()) {
    read += fmt::format("{}{}", read.empty() ? "" : ", ", counted(result.tables.size(), "table"));
  }
  if (read.empty()) read = "no program or table";
  const std::size_t errors = result.count(Severity::error);
  const std::size_t warnings = result.count(Severity::warning);
  if (errors + warnings == 0) {
    return fmt::format("{}: {}\n", read,
                       result.undecided ? "unknown" : printer.paint("1;32", "clean"));
  }
  return fmt::format("{}: {}, {}\n", read, counted(errors, "error"), counted(warnings, "warning"));
}

Json finding_json(const LintFinding& finding) {
  Json result{{"severity", name(finding.severity)},
              {"rule", finding.rule},
              {"file", finding.location.file}};
  if (finding.location.line != 0) result["line"] = finding.location.line;
  if (finding.location.column != 0) result["column"] = finding.location.column;
  result["message"] = finding.message;
  return result;
}

/// [first, last]; last is null if there is no upper end.
Json interval_json(const Interval& interval) {
  Json result = Json::array();
  result.push_back(interval.first);
  result.push_back(interval.last == UINT64_MAX ? Json() : Json(interval.last));
  return result;
}

Json program_json(const LintedProgram& program) {
  const MscclHead& head = program.head;
  return {{"file", program.file},
          {"loaded", head.loaded()},
          {"verdict", name(program.verdict)},
          {"collective", head.collective},
          {"ranks", head.ranks},
          {"in_place", head.in_place},
          {"out_of_place", head.out_of_place},
          {"bytes", interval_json({head.min_bytes, head.max_bytes})},
          {"chunks_per_loop", head.chunks_per_loop},
          {"channels", head.channels},
          {"protocol", head.protocol}};
}

Json rule_json(const LintedRule& linted) {
  const TuningRule& rule = *linted.rule;
  Json result{{"line", rule.line},
              {"column", rule.column},
              {"collective", rule.collective},
              {"applies", rule.applies},
              {"ranks", interval_json(rule.ranks)},
              {"bytes", interval_json(rule.bytes)}};
  if (rule.number != 0) result["number"] = rule.number;
  if (!rule.algorithm.empty()) result["algorithm"] = rule.algorithm;
  if (!linted.algorithm.empty()) result["schedcc"] = linted.algorithm;
  if (!rule.protocol.empty()) result["protocol"] = rule.protocol;
  if (linted.loss) {
    result["loss"] = Json{{"factor", std::round(linted.loss->factor * 1000) / 1000},
                          {"bytes", linted.loss->bytes},
                          {"best", linted.loss->best}};
  }
  return result;
}

}  // namespace

std::string lint_text(const LintResult& result, const LintOptions& options) {
  const Printer printer(STDOUT_FILENO, options.color);
  std::string out;
  std::size_t more = 0, shown = 0;
  for (const LintFinding& finding : result.findings) {
    if (options.quiet && finding.severity == Severity::note) continue;
    if (shown == options.max_findings) {
      ++more;
      continue;
    }
    out += line(printer, finding);
    ++shown;
  }
  if (more > 0) {
    out += fmt::format("{} not shown (--max-findings)\n", counted(more, "more finding"));
  }
  if (options.quiet) return out;
  if (!result.programs.empty()) out += programs_text(result);
  for (const auto& linted : result.tables) {
    out += fmt::format("{}: {}{}\n", printer.bold(where(linted->table.file, 0, 0)),
                       name(linted->table.format),
                       linted->table.dropped ? " (dropped by the library)" : "");
    if (!linted->rules.empty()) out += table_text(*linted);
  }
  return out + verdict_text(result, printer);
}

Json lint_json(const LintResult& result, const LintOptions& options) {
  Json programs = Json::array();
  for (const LintedProgram& program : result.programs) programs.push_back(program_json(program));
  Json tables = Json::array();
  for (const auto& linted : result.tables) {
    Json rules = Json::array();
    for (const LintedRule& rule : linted->rules) rules.push_back(rule_json(rule));
    tables.push_back({{"file", linted->table.file},
                      {"format", name(linted->table.format)},
                      {"dropped", linted->table.dropped},
                      {"rules", std::move(rules)}});
  }
  Json findings = Json::array();
  const std::size_t shown = std::min(options.max_findings, result.findings.size());
  for (std::size_t i = 0; i < shown; ++i) findings.push_back(finding_json(result.findings[i]));
  const Status status = result.status();
  Json document{{"verdict", status == ok          ? "clean"
                            : status == violated  ? "findings"
                            : status == bad_input ? "unreadable"
                                                  : "unknown"}};
  if (!result.programs.empty()) document["runtime"] = name(result.loader);
  document["programs"] = std::move(programs);
  document["tables"] = std::move(tables);
  document["findings"] = std::move(findings);
  document["findings_total"] = result.findings.size();
  return document;
}

}  // namespace schedcc::cli
