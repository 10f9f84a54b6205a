// The table has the command that makes it in a comment, where its format has comments.

#include "cli/tune_table.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "cli/cost_model.hpp"
#include "cli/number_list.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/tune_report.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/shell_word.hpp"
#include "lint/tuned_table.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

namespace {

/// More ranks are not timed.
constexpr std::uint32_t max_table_ranks = 1 << 20;
/// Open MPI reads sizes with a sign.
constexpr std::uint64_t max_table_bytes = std::uint64_t{1} << 62;
/// Longer words of a command are cut in the comment: the plugin of NCCL reads 255 characters.
constexpr std::size_t max_word = 150;
constexpr std::size_t comment_width = 96;

/// What --emit says.
struct TableEmission {
  std::optional<TuningFormat> format;  ///< none: svg
  Parameters parameters;
};

const std::vector<Parameter>& nccl_parameters() {
  static const std::vector<Parameter> all{
      {.name = "protocol",
       .summary = "protocol of rules for ring and tree; other rules have simple",
       .kind = Parameter::Kind::text,
       .choices = {"simple", "ll", "ll128"},
       .default_value = "simple"},
      {.name = "channels",
       .summary = "number of channels in every rule (default: 0, NCCL's own)",
       .min = 1,
       .max = 64},
      {.name = "nodes",
       .summary = "number of nodes in every rule (default: -1, any)",
       .min = 1,
       .max = max_table_ranks}};
  return all;
}

TableEmission table_emission(const std::string& text) {
  const Spec spec = Spec::parse(text);
  TableEmission result;
  result.format = find_tuning_format(spec.name);
  if (!result.format && spec.name != "svg") {
    std::vector<std::string_view> names{"svg"};
    std::ranges::copy(tuning_format_names(), std::back_inserter(names));
    throw UsageError(unknown("format", spec.name, names));
  }
  const bool nccl = result.format == TuningFormat::nccl_tuner;
  result.parameters = spec.check(nccl ? nccl_parameters() : std::vector<Parameter>(),
                                 fmt::format("format '{}'", spec.name));
  return result;
}

void refuse_options(const TuneOptions& options) {
  const std::string table = fmt::format("--emit {}", *options.emit);
  if (options.json || options.csv) {
    throw UsageError(fmt::format("{} writes a table; it cannot be combined with --{}", table,
                                 options.json ? "json" : "csv"));
  }
  const std::pair<std::string_view, bool> others[] = {
      {"root", options.root.has_value()},
      {"chunks", options.chunks.has_value()},
      {"algorithms", options.algorithms != "all"},
      {"improvement", options.improvement.has_value()},
      {"reproducible", options.reproducible}};
  for (const auto& [name, given] : others) {
    if (given) {
      throw UsageError(
          fmt::format("--{} cannot be combined with {}, which writes a table of the library's own "
                      "algorithms for all calls",
                      name, table));
    }
  }
}

std::vector<Collective> table_collectives(const TuneOptions& options) {
  if (!options.collective)
    throw UsageError(
        "missing --collective: the collectives of the table, for example broadcast,allreduce");
  std::vector<Collective> result;
  for (const std::string& name : split(*options.collective, ',')) {
    const Collective collective = collective_of_user(name);
    if (std::ranges::find(result, collective) == result.end()) result.push_back(collective);
  }
  return result;
}

std::vector<std::uint32_t> table_ranks(const TuneOptions& options) {
  std::vector<std::uint32_t> result = tuned_ranks(options);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  if (result.front() < 2 || result.back() > max_table_ranks)
    throw UsageError(fmt::format("--ranks must be in 2..{} for a table", max_table_ranks));
  return result;
}

/// The sizes of the range, and the powers of two in it, at which `lint` times choices. (No table
/// has rules of barriers, which are without sizes.)
std::vector<std::uint64_t> table_sizes(const TuneOptions& options) {
  std::vector<std::uint64_t> result = tuned_sizes(options, Collective::broadcast);
  if (result.front() == 0 || result.back() > max_table_bytes)
    throw UsageError(fmt::format("--bytes must be in 1..{} for a table", max_table_bytes));
  const std::uint64_t first = result.front(), last = result.back();
  for (std::uint64_t size = 1; size < last; size *= 2) {
    if (size > first) result.push_back(size);
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// A word of a command, as a shell takes it, in printable characters: Bash's $'...' has the numbers
/// of others.
std::string printable_word(const std::string& word) {
  const std::string shown = printable(word, max_word);
  if (shown == word || is_plain_shell_word(shown)) return shell_word(shown);
  std::string result = "$'";
  for (const char c : shown) {
    if (c == '\'') result += '\\';
    result += c;
  }
  return result + "'";
}

std::vector<std::string> command_words(const TuneOptions& options) {
  std::vector<std::string> result{"schedcc", "tune"};
  const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) result.push_back(fmt::format("--{} {}", name, printable_word(*value)));
  };
  add("emit", options.emit);
  add("collective", options.collective);
  if (options.ordered) result.emplace_back("--ordered");
  add("ranks", options.ranks);
  add("bytes", options.bytes);
  if (options.points) result.push_back(fmt::format("--points {}", *options.points));
  add("machine", options.machine);
  add("alpha", options.alpha);
  add("beta", options.beta);
  add("model", options.model);
  return result;
}

/// Lines of words; all but the first begin with `indent`, and all but the last end with `end`.
void add_lines(std::vector<std::string>& lines, const std::vector<std::string>& words,
               std::string_view indent, std::string_view end) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty() && line.size() + 1 + word.size() + end.size() > comment_width) {
      lines.push_back(line + std::string(end));
      line = std::string(indent) + word;
    } else {
      line += line.empty() ? word : " " + word;
    }
  }
  lines.push_back(line);
}

std::string left_out_text(const OmittedAlgorithms& left_out) {
  return fmt::format("{}: not among the choices: {}: {}", left_out.collective, left_out.algorithms,
                     left_out.reason);
}

bool names_pat(const WrittenTable& table) {
  return std::ranges::any_of(table.entries, [](const WrittenEntry& entry) {
    return std::ranges::any_of(entry.rules,
                               [](const WrittenRule& rule) { return rule.choice.name == "pat"; });
  });
}

std::vector<std::string> comments(const TuneOptions& options, const TunedTable& tuned) {
  std::vector<std::string> result{fmt::format("Chosen by schedcc {} among algorithms of {}:",
                                              SCHEDCC_VERSION, library(tuned.table.format))};
  std::vector<std::string> command;
  add_lines(command, command_words(options), "  ", " \\");
  for (const std::string& line : command) result.push_back("  " + line);
  if (tuned.table.format == TuningFormat::ompi_rules) {
    result.emplace_back("Open MPI 6 takes other entries of this text: for it, --emit ompi-json.");
  } else if (names_pat(tuned.table)) {
    result.emplace_back("NCCL has pat for one GPU in each node, and else skips its rules.");
  }
  if (tuned.table.format == TuningFormat::nccl_tuner) {
    result.emplace_back(
        "Smaller and larger sizes than --bytes go with the first and the last rule:");
    result.emplace_back("  the plugin sets one channel for calls without a rule.");
  }
  for (const OmittedAlgorithms& left_out : tuned.left_out)
    add_lines(result, split(printable(left_out_text(left_out), 10000), ' '), "  ", "");
  return result;
}

TableRequest table_request(const TuneOptions& options, TuningFormat format) {
  TableRequest request;
  request.format = format;
  request.times.model = cost_model(options, options.machine);
  request.times.machine = options.machine;
  request.times.ordered = options.ordered;
  request.collectives = table_collectives(options);
  const auto reduces = [](Collective collective) { return info(collective).reduction; };
  if (options.ordered && std::ranges::none_of(request.collectives, reduces))
    throw UsageError("only reductions can be ordered; none of --collective is one");
  if (options.ordered && format == TuningFormat::nccl_tuner)
    throw UsageError("--ordered does not apply to tables for NCCL, whose operators commute");
  request.ranks = table_ranks(options);
  request.sizes = table_sizes(options);
  if (options.machine) {
    for (const std::uint32_t ranks : request.ranks) make_machine(*options.machine, ranks);
  }
  return request;
}

/// The number of a parameter; `otherwise` if it is not given.
std::int64_t number_of(const Parameters& parameters, std::string_view name,
                       std::int64_t otherwise) {
  return parameters.has(name) ? static_cast<std::int64_t>(parameters.integer(name)) : otherwise;
}

}  // namespace

void check_tune_emission(const std::string& text) { table_emission(text); }

bool emits_table(const TuneOptions& options) {
  return options.emit && table_emission(*options.emit).format;
}

Status tune_table(const TuneOptions& options) {
  refuse_options(options);
  const TableEmission emission = table_emission(*options.emit);
  TableRequest request = table_request(options, *emission.format);
  FileOutput file(options.output.value_or("-"));
  Progress progress("tuning", !options.quiet);
  std::uint64_t done = 0;
  const std::uint64_t total = problems_of(request);
  const auto tick = [&] { progress.show(done, "problems", total); };
  request.times.progress = [&](std::uint64_t) { tick(); };
  request.after_problem = [&] {
    ++done;
    tick();
  };
  TunedTable tuned = tuned_table(request);
  if (emission.format == TuningFormat::nccl_tuner) {
    tuned.table.protocol = emission.parameters.text("protocol");
    tuned.table.channels = number_of(emission.parameters, "channels", tuned.table.channels);
    tuned.table.nodes = number_of(emission.parameters, "nodes", tuned.table.nodes);
  }
  tuned.table.comments = comments(options, tuned);
  file.write(write_tuning_table(tuned.table));
  file.commit();
  if (options.quiet) return ok;
  for (const OmittedAlgorithms& left_out : tuned.left_out)
    print_error(fmt::format("schedcc: note: {}\n", left_out_text(left_out)));
  return ok;
}

}  // namespace schedcc::cli
