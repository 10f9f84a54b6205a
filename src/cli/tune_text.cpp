// The tables of `tune`.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/core.h>

#include "cli/print.hpp"
#include "cli/tune_report.hpp"
#include "core/text_table.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

std::string head(const Study& study, const Tune& tune) {
  return fmt::format("{}, {}", study.title(), tune.model().spec);
}

std::string ratio(const Row& row, const Choice& choice) {
  if (!row.bound || row.bound->seconds <= 0) return "";
  return fmt::format("{:.4g}", choice.seconds / row.bound->seconds);
}

/// How far the best choices are from the lower bounds for their sizes, as a sentence. It is about
/// the schedules that all these bounds hold for.
std::string optimality(std::span<const Row> rows) {
  constexpr double rounding = 1e-9;  // of two times that are the same
  double most = 0;
  std::string which;
  for (const Row& row : rows) {
    if (row.choices.empty()) continue;
    const double best = row.choices.front().seconds;
    if (best > 0 && (!row.bound || row.bound->seconds <= 0)) return "no lower bound is known";
    most = std::max(most, best > 0 ? best / row.bound->seconds : 1);
    if (!row.bound) continue;
    const std::string& bounded = row.bound->holds_for;
    const std::string words = bounded == "any schedule" ? "" : fmt::format(" with {}", bounded);
    if (which.find(words) == std::string::npos) which += words;
  }
  if (std::abs(most - 1) <= rounding)
    return fmt::format("optimal: the time is the lower bound for any schedule{}", which);
  // Rounded up: "at most" has to be true.
  return fmt::format("at most {:.2f} times the time of any schedule{}", std::ceil(most * 100) / 100,
                     which);
}

std::string skipped_text(const Study& study) {
  std::string result;
  for (const auto& [names, reason] : study.skipped_by_reason()) {
    result += fmt::format("  without {}: {}\n", names, reason);
  }
  return result;
}

/// Is its number of chunks the best of some, rather than the only one?
bool chunks_were_tried(const Choice& choice) {
  return choice.tried.size() > 1 || (choice.tried.size() == 1 && choice.tried.front() > 1);
}

void drop_column(std::vector<std::vector<std::string>>& rows, std::ptrdiff_t column) {
  for (auto& cells : rows) cells.erase(cells.begin() + column);
}

/// One size: all algorithms.
std::string table(const Printer& printer, const Study& study, const Tune& tune) {
  const Row& row = study.rows.front();
  const bool several = study.machine.empty();  // machines: on some, steps are cycles
  std::vector<std::vector<std::string>> rows{
      {"algorithm", "on", "chunks", "steps", "time", "ratio", "formula"}};
  bool tried = false;
  for (const Choice& c : row.choices) {
    tried |= chunks_were_tried(c);
    const auto paper = tune.formula(study, row, c);
    rows.push_back({c.spec.text(), c.machine.spec(),
                    fmt::format("{}{}", c.chunks, chunks_were_tried(c) ? "*" : ""),
                    fmt::format("{}", c.steps), format_time(c.seconds), ratio(row, c),
                    paper ? format_time(*paper) : ""});
  }
  if (!several) drop_column(rows, 1);
  std::string result = fmt::format("{}, {}\n", head(study, tune), format_bytes(row.bytes));
  result += aligned(rows, several ? "-->>>>>" : "->>>>>");
  if (tried) result += "  * chunks: the best of those tried; without *, the best of all\n";
  if (row.bound) {
    result += fmt::format("  lower bound {}: {} [{}]\n", format_time(row.bound->seconds),
                          row.bound->text, row.bound->source);
  }
  result += skipped_text(study);
  const Choice& best = row.choices.front();
  return result + fmt::format("best: {}, --chunks {}\n  {}\n  {}\n", printer.bold(best.spec.text()),
                              best.chunks, optimality(study.rows), tune.command(study, best));
}

/// A range: the best of each size, and where it changes.
std::string range_table(const Printer& printer, const Study& study, const Tune& tune) {
  const bool several = study.machine.empty();
  std::vector<std::vector<std::string>> rows{
      {"bytes", "best", "on", "chunks", "steps", "time", "ratio"}};
  for (const Row& row : study.rows) {
    if (row.choices.empty()) continue;
    const Choice& c = row.choices.front();
    rows.push_back({format_bytes(row.bytes), c.spec.text(), c.machine.spec(),
                    fmt::format("{}", c.chunks), fmt::format("{}", c.steps), format_time(c.seconds),
                    ratio(row, c)});
  }
  if (!several) drop_column(rows, 2);
  std::string result =
      fmt::format("{}\n{}", head(study, tune), aligned(rows, several ? ">-->>>>" : ">->>>>"));
  result += skipped_text(study);
  for (const Crossover& c : study.crossovers) {
    result += fmt::format("from {} on: {} instead of {}\n", format_bytes(c.bytes),
                          printer.bold(c.to), c.from);
  }
  return result + fmt::format("the best of each size: {}\n", optimality(study.rows));
}

std::string improvement_table(const Study& study, const Tune& tune, const std::string& name) {
  std::vector<std::vector<std::string>> rows{{"bytes", "k/t", "improvement", name, "best other"}};
  for (const Row& row : study.rows) {
    if (!row.improvement) continue;
    std::string own, other;
    for (const Choice& c : row.choices) {
      std::string& text = c.spec.name == name ? own : other;
      if (text.empty()) text = fmt::format("{}, {} chunks", c.spec.text(), c.chunks);
    }
    const auto k = tune.start_ups(row.bytes);
    rows.push_back({format_bytes(row.bytes), k ? fmt::format("{:.5g}", *k) : "",
                    fmt::format("{:.4f}", *row.improvement), own, other});
  }
  std::string result = fmt::format("{}\n{}", head(study, tune), aligned(rows, ">>>--"));
  if (const Row* const best = study.peak()) {
    result += fmt::format("at most {:.4f}, at {}\n", *best->improvement, format_bytes(best->bytes));
  }
  return result + skipped_text(study);
}

}  // namespace

std::string tune_text(const Tune& tune, const TuneOptions& options) {
  const Printer printer(STDOUT_FILENO, options.color);
  std::string result;
  for (const Study& study : tune.studies()) {
    if (!result.empty()) result += "\n";
    result += options.improvement ? improvement_table(study, tune, tune.improved())
              : tune.range()      ? range_table(printer, study, tune)
                                  : table(printer, study, tune);
  }
  return result;
}

}  // namespace schedcc::cli
