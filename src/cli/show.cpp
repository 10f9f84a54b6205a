// schedcc show: a small schedule as a table, or any as a page or a picture.

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analysis/carried_sets.hpp"
#include "analysis/message_groups.hpp"
#include "check/levels.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/destination.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/show_table.hpp"
#include "cli/sources.hpp"
#include "cli/watched_source.hpp"
#include "core/counted.hpp"

namespace schedcc::cli {

namespace {

constexpr std::uint64_t max_rows = 64;
constexpr std::uint64_t max_lines = 600;
constexpr std::size_t max_columns = 4096;
constexpr std::uint64_t max_followed = 1 << 20;  ///< chunks of transfers, for contributions
constexpr std::size_t max_intervals = 3;         ///< of contributions in a cell

/// "{0-2,5}"; of long sets the first.
std::string set_text(const Intervals& ranks) {
  std::string result = "{";
  for (std::size_t i = 0; i < std::min(ranks.size(), max_intervals); ++i) {
    result += fmt::format("{}{}", i == 0 ? "" : ",", ranks[i].first);
    if (ranks[i].last != ranks[i].first) result += fmt::format("-{}", ranks[i].last);
  }
  return result + (ranks.size() > max_intervals ? ",..}" : "}");
}

/// "0-2", "1+" for a chunk that is reduced.
std::string run_text(const Transfer& t) {
  std::string result = std::to_string(t.first);
  if (t.count > 1) result += fmt::format("-{}", std::uint64_t{t.first} + t.count - 1);
  return result + (t.reduce != 0 ? "+" : "");
}

/// The transfers of a step from one node to another.
struct Message {
  Rank src, dst;
  std::string chunks;
  std::optional<Intervals> carried;  ///< if it is the same for all
};

std::vector<Message> messages(const Step& step,
                              const std::vector<std::optional<Intervals>>& carried) {
  MessageGroups groups;
  groups.read(step.transfers);
  std::vector<Message> result;
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& t = step.transfers[i];
    if (groups.of(i) == result.size()) {
      result.push_back({t.src, t.dst, run_text(t), carried[i]});
      continue;
    }
    Message& message = result[groups.of(i)];
    message.chunks += "," + run_text(t);
    if (message.carried != carried[i]) message.carried.reset();
  }
  return result;
}

class TableView {
 public:
  TableView(const Input& input, const ShowOptions& options)
      : input_(input), options_(options), nodes_(input.source.node_count()) {
    table_.row_title = input.source.has_routers() ? "node" : "rank";
    choose_rows();
  }

  ShownTable read() {
    const bool reduction = input_.source.problem.reduction();
    CarriedSets sets(input_.source.problem, arrival_time(input_.source, input_.machine),
                     reduction ? max_followed : 0);
    Progress progress("reading", !options_.quiet);
    const Source source = watched(with_advice(input_.source), progress);
    const auto steps = source.open();
    std::uint64_t count = 0;
    for (Step step; steps->next(step);) {
      count = step.number + 1;
      if (options_.shown_steps && step.number > options_.shown_steps->last) break;
      const auto carried = sets.advance(well_formed(step));
      if (options_.shown_steps && step.number < options_.shown_steps->first) continue;
      add(step, carried);
      if (table_.steps.size() > max_columns) {
        table_.steps.pop_back();
        refuse_steps(TableLayout(table_, output_width()).last_step_within(max_lines),
                     options_.no_verify ? "" : "; --no-verify leaves out the check of all steps");
      }
    }
    if (options_.shown_steps && options_.shown_steps->first >= count) refuse_absent_steps(count);
    return std::move(table_);
  }

  [[noreturn]] void refuse_steps(std::uint64_t last, std::string_view advice = "") const {
    const std::uint64_t first = options_.shown_steps ? options_.shown_steps->first : 0;
    throw UsageError(
        fmt::format("the table would have more than {} lines; choose some of its "
                    "steps, as with --steps {}..{}{}",
                    max_lines, first, std::max(first, last), advice));
  }

 private:
  [[noreturn]] void refuse_absent_steps(std::uint64_t count) const {
    throw UsageError(fmt::format("--steps {}..{}: the schedule has {}", options_.shown_steps->first,
                                 options_.shown_steps->last, counted(count, "step")));
  }

  void choose_rows() {
    if (options_.shown_ranks) {
      const auto [first, last] = *options_.shown_ranks;
      if (last >= nodes_) {
        throw UsageError(fmt::format("--ranks {}..{}: {}s are 0..{}", first, last, table_.row_title,
                                     nodes_ - 1));
      }
      table_.first_row = first;
      table_.last_row = last;
    } else {
      table_.last_row = nodes_ - 1;
    }
    if (table_.rows() <= max_rows) return;
    throw UsageError(
        fmt::format("{} {}s are too many for a table, which has at most {}; choose "
                    "some of them, as with --ranks {}..{}",
                    table_.rows(), table_.row_title, max_rows, table_.first_row,
                    table_.first_row + max_rows - 1));
  }

  bool shown(Rank node) const { return node >= table_.first_row && node <= table_.last_row; }

  /// The step, or one without transfers if any of them is not as it must be.
  Step well_formed(const Step& step) const {
    const std::uint64_t chunks = input_.source.problem.total_chunks();
    Step result = step;
    for (const Transfer& t : step.transfers) {
      if (t.src < nodes_ && t.dst < nodes_ && std::uint64_t{t.first} + t.count <= chunks) continue;
      result.transfers = {};
    }
    return result;
  }

  void add(const Step& step, std::vector<std::optional<Intervals>> carried) {
    carried.resize(step.transfers.size());
    ShownStep column{step.number,
                     fmt::format("{} {}{}", input_.machine.step_unit(), step.number,
                                 step.rounds > 1 ? fmt::format(" ({} rounds)", step.rounds) : "")};
    for (const Message& message : messages(step, carried)) {
      const std::string sets = message.carried ? set_text(*message.carried) : "";
      if (shown(message.src)) {
        column.cells[message.src].sends.push_back(
            fmt::format(">{}:{}", message.dst, message.chunks));
      }
      if (shown(message.dst)) {
        column.cells[message.dst].receives.push_back(
            fmt::format("<{}:{}{}", message.src, message.chunks, sets));
      }
    }
    if (!column.cells.empty()) table_.steps.push_back(std::move(column));
  }

  const Input& input_;
  const ShowOptions& options_;
  std::uint64_t nodes_;
  ShownTable table_;
};

/// Marks a finding in the cell of the rank that it is about, if that is shown; one about a hop in
/// that of the transfer's source.
bool mark(ShownTable& table, const Finding& finding, std::size_t number) {
  auto number_of_step = finding.step;
  auto rank = finding.src ? finding.src : finding.rank;
  if (finding.hop_of) {
    number_of_step = finding.hop_of->step;
    rank = finding.hop_of->src;
  }
  if (!number_of_step || !rank) return false;
  const auto step = std::ranges::find(table.steps, *number_of_step, &ShownStep::number);
  if (step == table.steps.end()) return false;
  const auto cell = step->cells.find(static_cast<Rank>(*rank));
  if (cell == step->cells.end()) return false;
  cell->second.marks.push_back(number);
  return true;
}

/// Marks the findings; a line for each of them.
std::string mark_all(ShownTable& table, const Report& report, const Style& style) {
  std::string result;
  std::size_t marks = 0;
  for (const Finding& finding : report.findings) {
    if (mark(table, finding, marks + 1))
      result += style.paint("1;31", fmt::format("!{}", ++marks)) + " ";
    result += text(style, finding, report.file, report.schedule);
  }
  return result;
}

/// The signs that the table has.
std::string legend(const ShownTable& table, bool clipped) {
  bool sends = false, reduces = false, sets = false;
  for (const ShownStep& step : table.steps) {
    for (const auto& [rank, cell] : step.cells) {
      sends |= !cell.sends.empty() || !cell.receives.empty();
      for (const std::string& message : cell.receives) {
        reduces |= message.find('+') != std::string::npos;
        sets |= message.find('{') != std::string::npos;
      }
    }
  }
  std::string result;
  if (sends) result += ">R:C sends chunks C to rank R; <R:C receives them from rank R";
  if (reduces) result += "; C+ adds to what is there";
  if (sets) result += "; {A-B} carries the contributions of ranks A-B";
  if (clipped) result += "; ..N and N more";
  return result.empty() ? "no messages\n" : result + "\n";
}

/// The line with the verdict, and how many findings there are more.
std::string summary(Report report, bool colored) {
  report.findings_total -= report.findings.size();
  report.findings.clear();
  return to_text(report, colored);
}

/// The format of the drawing; none: a table. Throws UsageError for a format that does not draw.
Emission drawing(const ShowOptions& options) {
  if (!options.emit && !options.output) return {};
  Emission result = emission(options, false, options);
  if (draws(*result.format)) return result;
  throw UsageError(fmt::format(
      "show draws pages and pictures, and '{}' is neither: 'compile' writes it", result.spec));
}

/// Writes a page or a picture. It may be that of a wrong schedule.
Status draw(const Input& input, const Emission& emission, const ShowOptions& options) {
  const std::string command = as_command("show", input) + (options.no_verify ? " --no-verify" : "");
  EmitOptions emit = emit_options(emission, input.machine, command, options, options.quiet);
  refuse(emission, input.source, emit);
  Destination destination(options);
  if (!options.no_verify) {
    emit.report =
        std::make_shared<const Report>(check_input(input, options.check, options, options.quiet));
    const bool colored = Printer(STDERR_FILENO, options.color).colored();
    if (!options.quiet) print_error(notes_text(input, colored));
    if (!options.quiet || emit.report->verdict() != Verdict::holds)
      print_error(to_text(*emit.report, colored));
  }
  emission.format->write(with_advice(input.source), emit, destination.output());
  destination.commit();
  return ok;
}

}  // namespace

Status show(const ShowOptions& options) {
  const Emission emission = drawing(options);
  const Input input = open_input(only_source(options, "show"), options);
  require_fitting(options.check, input, options);
  if (emission.format != nullptr) return draw(input, emission, options);
  const Printer printer(STDOUT_FILENO, options.color);
  TableView view(input, options);
  ShownTable table = view.read();
  const std::size_t width = output_width();
  if (const TableLayout plain(table, width); plain.lines() > max_lines)
    view.refuse_steps(plain.last_step_within(max_lines));
  std::string findings = notes_text(input, printer.colored());
  if (!options.no_verify) {
    const Report report = check_input(input, options.check, options, options.quiet);
    findings += mark_all(table, report, printer);
    if (!options.quiet || report.verdict() != Verdict::holds)
      findings += summary(report, printer.colored());
  }
  const TableLayout layout(table, width);  // with marks
  StandardOutput().write(layout.text(printer) +
                         (options.quiet ? "" : legend(table, layout.clipped())) + findings);
  return ok;
}

}  // namespace schedcc::cli
