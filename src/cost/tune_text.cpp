// The tables of `tune`.

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "core/counted.hpp"
#include "core/text_table.hpp"
#include "cost/tune_study.hpp"
#include "schedcc/tune.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

namespace {

constexpr std::size_t line_width = 80;  // of tables, as terminals have it

std::string head(const TuneStudy& study, const TuneReport& report) {
  return fmt::format("{}, {}", study.title(), report.model.spec);
}

std::string ratio(const TunedSize& size, const Choice& choice) {
  if (!size.bound || size.bound->seconds <= 0) return "";
  return fmt::format("{:.4g}", choice.seconds / size.bound->seconds);
}

/// How far the best choices are from the lower bounds for their sizes, as a sentence. It is about
/// the schedules that all these bounds hold for.
std::string optimality(std::span<const TunedSize> sizes) {
  constexpr double rounding = 1e-9;  // of two times that are the same
  double most = 0;
  std::string which;
  for (const TunedSize& size : sizes) {
    if (size.choices.empty()) continue;
    const double best = size.choices.front().seconds;
    if (best > 0 && (!size.bound || size.bound->seconds <= 0)) return "no lower bound is known";
    most = std::max(most, best > 0 ? best / size.bound->seconds : 1);
    if (!size.bound) continue;
    const BoundedSchedules bounded = size.bound->holds_for;
    const std::string words =
        bounded == BoundedSchedules::any ? "" : fmt::format(" with {}", name(bounded));
    if (which.find(words) == std::string::npos) which += words;
  }
  if (std::abs(most - 1) <= rounding)
    return fmt::format("optimal: the time is the lower bound for any schedule{}", which);
  // Rounded up: "at most" has to be true.
  return fmt::format("at most {:.2f} times the time of any schedule{}", std::ceil(most * 100) / 100,
                     which);
}

std::string skipped_text(const TuneStudy& study) {
  std::string result;
  for (const auto& [names, reason] : skipped_by_reason(study)) {
    result += fmt::format("  without {}: {}\n", names, reason);
  }
  return result;
}

/// Is its number of chunks the best of some, rather than the only one?
bool chunks_were_tried(const Choice& choice) {
  return choice.tried.size() > 1 || (choice.tried.size() == 1 && choice.tried.front() > 1);
}

/// "evaluated 213 settings of algorithms and 3 compositions; 101 schedules were built".
std::string judged_text(const TuneStudy& study) {
  const auto& [settings, compositions, schedules] = study.judged;
  return fmt::format(
      "evaluated {} of algorithms{}; {}\n", counted(settings, "setting"),
      compositions == 0 ? "" : " and " + counted(compositions, "composition"),
      counted(schedules, "schedule") + (schedules == 1 ? " was built" : " were built"));
}

void drop_column(std::vector<std::vector<std::string>>& rows, std::ptrdiff_t column) {
  for (auto& cells : rows) cells.erase(cells.begin() + column);
}

/// One size: all algorithms.
std::string table(const Style& style, const TuneStudy& study, const TuneReport& report) {
  const TunedSize& size = study.sizes.front();
  const bool several = study.machine.empty();  // machines: on some, steps are cycles
  std::vector<std::vector<std::string>> rows{
      {"algorithm", "on", "chunks", "steps", "time", "ratio", "formula"}};
  bool tried = false;
  for (const Choice& c : size.choices) {
    tried |= chunks_were_tried(c);
    const auto paper = formula_time(report.model, study, size, c);
    rows.push_back({c.spec.text(), c.machine.spec(),
                    fmt::format("{}{}", c.chunks, chunks_were_tried(c) ? "*" : ""),
                    fmt::format("{}", c.steps), format_time(c.seconds), ratio(size, c),
                    paper ? format_time(*paper) : ""});
  }
  if (!several) drop_column(rows, 1);
  std::string result = fmt::format("{}, {}\n", head(study, report), format_bytes(size.bytes));
  result += aligned(rows, several ? "-->>>>>" : "->>>>>", line_width);
  if (tried) result += "  * chunks: the best of those tried; without *, the best of all\n";
  if (size.bound) {
    result += fmt::format("  lower bound {}: {} [{}]\n", format_time(size.bound->seconds),
                          size.bound->text, size.bound->source);
  }
  result += skipped_text(study) + judged_text(study);
  const Choice& best = size.choices.front();
  return result + fmt::format("best: {}, --chunks {}\n  {}\n  {}\n", style.bold(best.spec.text()),
                              best.chunks, optimality(study.sizes), command_of(study, best));
}

/// "16 KiB", "16 KiB..1 MiB".
std::string sizes_text(std::span<const TunedSize> sizes) {
  const std::string first = format_bytes(sizes.front().bytes);
  return sizes.size() == 1 ? first : fmt::format("{}..{}", first, format_bytes(sizes.back().bytes));
}

/// Cuts a list of sizes wherever the best choices of two neighbours are not the same.
template <typename Same>
std::vector<std::span<const TunedSize>> runs_of(std::span<const TunedSize> sizes, Same same) {
  std::vector<std::span<const TunedSize>> result;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    if (i < sizes.size() && same(sizes[i - 1].choices.front(), sizes[i].choices.front())) continue;
    result.push_back(sizes.subspan(first, i - first));
    first = i;
  }
  return result;
}

/// For each interval of sizes the command that makes its best schedules. It has the number of
/// chunks of the smallest size; a comment names the sizes, and the other numbers.
std::string commands(const TuneStudy& study) {
  std::vector<TunedSize> sizes = study.sizes;
  std::erase_if(sizes, [](const TunedSize& size) { return size.choices.empty(); });
  const auto same_algorithm = [](const Choice& a, const Choice& b) {
    return a.spec.text() == b.spec.text() && a.machine.spec() == b.machine.spec();
  };
  const auto same_chunks = [](const Choice& a, const Choice& b) { return a.chunks == b.chunks; };
  std::string result;
  for (const auto& interval : runs_of(sizes, same_algorithm)) {
    const auto parts = runs_of(interval, same_chunks);
    result += fmt::format("  {}  # {}", command_of(study, interval.front().choices.front()),
                          sizes_text(parts.front()));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      result += fmt::format("{}{} for {}", i == 1 ? "; --chunks " : ", ",
                            parts[i].front().choices.front().chunks, sizes_text(parts[i]));
    }
    result += "\n";
  }
  return result;
}

/// A range: the best of each size, and where it changes.
std::string range_table(const Style& style, const TuneStudy& study, const TuneReport& report) {
  const bool several = study.machine.empty();
  std::vector<std::vector<std::string>> rows{
      {"bytes", "best", "on", "chunks", "steps", "time", "ratio"}};
  for (const TunedSize& size : study.sizes) {
    if (size.choices.empty()) continue;
    const Choice& c = size.choices.front();
    rows.push_back({format_bytes(size.bytes), c.spec.text(), c.machine.spec(),
                    fmt::format("{}", c.chunks), fmt::format("{}", c.steps), format_time(c.seconds),
                    ratio(size, c)});
  }
  if (!several) drop_column(rows, 2);
  std::string result = fmt::format("{}\n{}", head(study, report),
                                   aligned(rows, several ? ">-->>>>" : ">->>>>", line_width));
  result += skipped_text(study) + judged_text(study);
  for (const Crossover& c : study.crossovers) {
    result += fmt::format("{} and larger: {} instead of {}\n", format_bytes(c.bytes),
                          style.bold(c.to), c.from);
  }
  return result + fmt::format("the best of each size: {}\n", optimality(study.sizes)) +
         commands(study);
}

/// The parameters of an algorithm, if it has any, for a column with its name as its heading.
std::string parameters_text(const Spec& spec) {
  const std::string text = spec.text(), before = spec.name + ":";
  return text.starts_with(before) ? text.substr(before.size()) : text;
}

std::string improvement_table(const TuneStudy& study, const TuneReport& report) {
  const std::string& improved = report.improved;
  std::vector<std::vector<std::string>> rows{
      {"bytes", "k/t", "improvement", improved, "K", "best other", "K"}};
  for (const TunedSize& size : study.sizes) {
    if (!size.improvement) continue;
    const auto [best, other] = improved_choice(size.choices, improved);
    const auto k = report.start_ups(size.bytes);
    rows.push_back({format_bytes(size.bytes), k ? fmt::format("{:.5g}", *k) : "",
                    fmt::format("{:.4f}", *size.improvement), parameters_text(best->spec),
                    fmt::format("{}", best->chunks), other->spec.text(),
                    fmt::format("{}", other->chunks)});
  }
  std::string result =
      fmt::format("{}\n{}", head(study, report), aligned(rows, ">>>->->", line_width));
  if (const TunedSize* const best = study.peak()) {
    result += fmt::format("at most {:.4f}, at {}\n", *best->improvement, format_bytes(best->bytes));
  }
  return result + skipped_text(study);
}

}  // namespace

std::string to_text(const TuneReport& report, bool colored) {
  const Style style(colored);
  std::string result;
  for (const TuneStudy& study : report.studies) {
    if (!result.empty()) result += "\n";
    result += !report.improved.empty() ? improvement_table(study, report)
              : study.sizes.size() > 1 ? range_table(style, study, report)
                                       : table(style, study, report);
  }
  return result;
}

}  // namespace schedcc
