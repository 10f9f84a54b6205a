// Which command takes which options, in the order of --help.

#include "cli/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "cli/number_list.hpp"
#include "cli/tune_table.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

namespace {

std::vector<std::string> known_checks(const std::string& list) {
  std::vector<std::string> result = split(list, ',');
  as_usage([&] { require_checks(result); });
  return result;
}

std::string readable_format(const std::string& name) {
  if (!find_format(name).readable) {
    throw UsageError(fmt::format("format '{}' can be written, but not read", name));
  }
  return name;
}

/// Reads a positive number of seconds, with a fraction or as other numbers are.
double seconds(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000'000;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool plain = error == std::errc() && end == text.data() + text.size();
  if (plain && value > 0 && value <= most) return value;
  try {
    if (!plain) return static_cast<double>(parse_number(text, "--timeout", 1, most));
  } catch (const InputError&) {  // the message below is clearer
  }
  throw UsageError(fmt::format("--timeout is a number of seconds, not '{}'", text));
}

/// Reads --shard I/N.
void read_shard(const std::string& text, SweepOptions& options) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw UsageError(fmt::format("--shard is I/N, not '{}'", text));
  options.shards = parse_number(text.substr(slash + 1), "--shard", 1);
  options.shard = parse_number(text.substr(0, slash), "--shard", 1, options.shards) - 1;
}

/// Reads "A..B", or "A", which is A..A. Throws InputError that names `option`.
NumberRange number_range(const std::string& text, std::string_view option) {
  const std::size_t dots = text.find("..");
  if (dots == 0 || (dots != std::string::npos && dots + 2 == text.size()))
    throw UsageError(fmt::format("{}: '{}' is not a range A..B with both ends", option, text));
  NumberRange result{};
  result.first = parse_number(text.substr(0, dots), option, 0);
  result.last =
      dots == std::string::npos ? result.first : parse_number(text.substr(dots + 2), option, 0);
  if (result.first > result.last)
    throw UsageError(fmt::format("{} {}: the first is above the last", option, text));
  return result;
}

void declare_problem(OptionSet& set, ProblemOptions& options, Variant collective, Variant machine,
                     Variant root = {}) {
  set.add("collective", options.collective, collective);
  set.add("machine", options.machine, machine);
  set.add("root", options.root, root);
  set.add("ordered", options.ordered);
}

void declare_sizes(OptionSet& set, SizeOptions& options, Variant chunks = {}) {
  set.add("ranks", options.ranks);
  set.add("chunks", options.chunks, chunks);
  set.add("block-sizes", options.block_sizes);
}

/// The generator, and the time that each of its runs may take.
void declare_generator(OptionSet& set, GeneratorOptions& options, Variant generator = {}) {
  set.add("generator", options.generator, generator);
  set.add("timeout", [&options](const std::string& text) { options.timeout = seconds(text); },
          {.fallback = "60", .help = "stop the generator after S seconds"});
}

/// Reads --ranks of commands that show a part: a number of ranks, or those to be shown.
void read_ranks(const std::string& text, SizeOptions& sizes, PartOptions& part) {
  const bool range = text.find("..") != std::string::npos;
  if (range ? part.shown_ranks.has_value() : sizes.ranks.has_value())
    throw UsageError("option '--ranks' is given twice");
  if (range) {
    part.shown_ranks = number_range(text, "--ranks");
  } else {
    sizes.ranks = parse_number(text, "--ranks", 1);
  }
}

/// The numbers of a problem, with the ranks and steps to be shown.
void declare_part(OptionSet& set, SizeOptions& sizes, PartOptions& part) {
  set.add("ranks", [&](const std::string& text) { read_ranks(text, sizes, part); },
          {.argument = "P|A..B",
           .help = "number of ranks; A..B: show only these; give both if needed",
           .repeats = true});
  set.add("steps",
          [&part](const std::string& text) { part.shown_steps = number_range(text, "--steps"); },
          {.argument = "A..B", .fallback = "all", .help = "show only these steps"});
  set.add("chunks", sizes.chunks);
  set.add("block-sizes", sizes.block_sizes);
}

void declare_file(OptionSet& set, FileOptions& options) {
  const auto from = [&options](const std::string& text) { options.from = readable_format(text); };
  set.add("from", from);
  set.add("problem", options.problem);
  set.add("strict-format", options.strict_format);
}

void declare_output(OptionSet& set, OutputOptions& options, Variant output, Variant emit = {}) {
  set.add("emit", options.emit, emit);
  set.add("output", options.output, output);
}

void declare_checks(OptionSet& set, CheckOptions& check) {
  set.add("checks", [&check](const std::string& text) { check.checks = known_checks(text); });
  set.add("strict", check.strict);
  set.add_choice("blocking", check.blocking);
  set.add_number("eager", check.eager);
  set.add("max-buffer", check.max_buffer);
}

void declare_parallel_checks(OptionSet& set, ParallelOptions& options) {
  declare_checks(set, options.check);
  set.add_number("jobs", options.jobs);
}

void declare_program(OptionSet& set, FileOptions& file, CheckOptions& check) {
  set.add("runtime", file.runtime);
  set.add("fifo", check.fifo);
}

void declare_findings(OptionSet& set, CheckOptions& check) {
  set.add_number("max-findings", check.max_findings);
}

void declare_model(OptionSet& set, ModelOptions& options, Variant bytes = {}) {
  set.add("bytes", options.bytes, bytes);
  set.add("alpha", options.alpha);
  set.add("beta", options.beta);
  set.add("model", options.model);
}

void declare_help(OptionSet& set) {
  set.add("help", [](const std::string&) {});  // read() answers these two
  set.add("version", [](const std::string&) {});
}

void declare_printing(OptionSet& set, GeneralOptions& options) {
  set.add("quiet", options.quiet);
  set.add_choice("color", options.color);
  declare_help(set);
}

void declare_json_lines(OptionSet& set, GeneralOptions& options) {
  set.add("json-lines",
          [&options](const std::string&) { options.json = options.json_lines = true; });
}

void declare_general(OptionSet& set, GeneralOptions& options) {
  set.add("json", options.json);
  declare_printing(set, options);
}

constexpr Variant first_collective{{}, "the first that the algorithm implements"};
constexpr Variant source_machine{{}, "as the source states, else duplex"};
constexpr Variant fastest_chunks{{}, "the number that takes the least time"};

}  // namespace

void declare(OptionSet& set, ListOptions& options) {
  set.add("files", options.files);
  set.add("names", options.names);
  declare_general(set, options);
}

void declare(OptionSet& set, CompileOptions& options) {
  declare_problem(set, options, first_collective, source_machine);
  declare_part(set, options, options);
  declare_generator(set, options);
  declare_file(set, options);
  declare_output(set, options, {{}, "standard output"});
  set.add_choice("level", options.hop_level);
  set.add("no-verify", options.no_verify);
  declare_checks(set, options.check);
  declare_program(set, options, options.check);
  declare_findings(set, options.check);
  declare_json_lines(set, options);
  declare_general(set, options);
}

void declare(OptionSet& set, ConvertOptions& options) {
  set.add("from", [&options](const std::string& text) { options.from = readable_format(text); });
  set.add("strict-format", options.strict_format);
  declare_output(set, options, {});
  set.add("verify", options.verify);
  declare_printing(set, options);
}

void declare(OptionSet& set, VerifyOptions& options) {
  declare_problem(set, options, {}, source_machine, {{}, "as the program suggests"});
  set.add("ranks", options.ranks, {.help = "of a generator: number of ranks"});
  set.add("chunks", options.chunks,
          {.help = "of a generator: packets of a message, or chunks of a block"});
  declare_generator(set, options,
                    {.help = "check what a program prints, as .sched, for --ranks, --chunks and "
                             "--root"});
  declare_file(set, options);
  declare_parallel_checks(set, options);
  set.add("same-as", options.same_as);
  declare_program(set, options, options.check);
  declare_findings(set, options.check);
  set.add_choice("format", options.format);
  declare_json_lines(set, options);
  declare_general(set, options);
}

void declare(OptionSet& set, LintOptions& options) {
  set.add("from", options.from,
          {"FORMAT", "by its content", "msccl, ompi-rules, ompi-json or nccl-tuner"});
  set.add("runtime", options.runtime,
          {{}, "rccl", "the runtime that loads the programs: rccl or msccl"});
  set.add("ranks", options.ranks, {{}, {}, "ranks for which the choices of a table are timed"});
  set.add("machine", options.machine, {{}, "duplex, or that of the cost model"});
  set.add("alpha", options.alpha);
  set.add("beta", options.beta);
  set.add("model", options.model);
  set.add_number("max-findings", options.max_findings);
  declare_general(set, options);
}

void declare(OptionSet& set, ExplainOptions& options) {
  set.add("rank", options.rank);
  set.add("chunk", options.chunk);
  set.add("step", options.step);
  declare_problem(set, options, first_collective, source_machine);
  declare_sizes(set, options);
  declare_generator(set, options);
  declare_file(set, options);
  set.add("runtime", options.runtime);
  declare_general(set, options);
}

void declare(OptionSet& set, ShowOptions& options) {
  declare_problem(set, options, first_collective, source_machine);
  declare_part(set, options, options);
  declare_generator(set, options);
  declare_file(set, options);
  declare_output(set, options, {{}, "a table on standard output"}, {{}, "by the extension of -o"});
  set.add("no-verify", options.no_verify);
  declare_checks(set, options.check);
  declare_program(set, options, options.check);
  declare_findings(set, options.check);
  declare_printing(set, options);
}

void declare(OptionSet& set, CostOptions& options) {
  declare_problem(set, options, first_collective, source_machine);
  declare_sizes(set, options, fastest_chunks);
  declare_generator(set, options);
  declare_file(set, options);
  declare_model(set, options);
  set.add_choice("receive", options.receive);
  set.add("no-verify", options.no_verify);
  set.add("critical-path", options.critical_path);
  set.add("csv", options.csv);
  declare_general(set, options);
}

void declare(OptionSet& set, TuneOptions& options) {
  declare_problem(set, options,
                  {{},
                   "that of --algorithms, or broadcast",
                   "collective, as 'schedcc list collectives' names it; of a table also several"},
                  {{}, "duplex, or that of the cost model"});
  set.add("ranks", options.ranks, {"P,P..P,...", {}, "numbers of ranks"});
  set.add("chunks", options.chunks, fastest_chunks);
  set.add("algorithms", options.algorithms);
  declare_generator(set, options,
                    {.help = "a program that prints schedules, as .sched, for --ranks, --chunks "
                             "and --root: one more algorithm, 'generator'"});
  declare_model(set, options, {"N|N..M", {}});
  set.add("points", options.points);
  set.add("improvement", options.improvement);
  set.add("reproducible", options.reproducible);
  const auto emit = [&options](const std::string& text) {
    check_tune_emission(text);
    options.emit = text;
  };
  set.add("emit", emit,
          {"svg|ompi-rules|ompi-json|nccl-tuner", "svg, if -o is an .svg file",
           "a plot, or a table by which a library chooses; nccl-tuner:protocol=,channels=,nodes= "
           "are those of its rules"});
  set.add("output", options.output, {"FILE", "standard output"});
  set.add("csv", options.csv);
  declare_general(set, options);
}

void declare(OptionSet& set, ProveOptions& options) {
  declare_problem(set, options, {}, {{}, "as FILE states, else duplex"});
  declare_sizes(set, options);
  set.add("generator", options.generator,
          {.help = "a program that prints a schedule, whose problem and machine are taken, instead "
                   "of FILE"});
  declare_file(set, options);
  set.add("all-chunks", options.all_chunks);
  set.add("steps", options.steps);
  set.add("rounds", options.rounds);
  set.add("no-wait", options.no_wait);
  set.add("pareto", options.pareto);
  set.add("assume-bound", options.assume_bound);
  set.add_number("eager", options.eager);
  set.add("timeout", [&options](const std::string& text) { options.timeout = seconds(text); });
  set.add("solver", options.solver);
  set.add("smt2", options.smt2);
  set.add("certificate", options.certificate);
  declare_output(set, options, {{}, "no schedule is written"});
  declare_general(set, options);
}

void declare(OptionSet& set, SweepOptions& options) {
  set.add("algorithms", options.algorithms);
  declare_generator(set, options,
                    {.help = "a program that prints schedules, as .sched, for --ranks, --chunks "
                             "and --root: the algorithm 'generator', alone unless --algorithms"});
  set.add("collective", options.collective, {{}, "all that the algorithm implements"});
  set.add("machine", options.machine, {{}, "that of the algorithm"});
  set.add("ranks", options.ranks, {"P,P..P,...", {}});
  set.add("chunks", options.chunks, {"K,K..K,...", {}});
  set.add_choice("roots", options.first_root);
  set.add("shard", [&options](const std::string& text) { read_shard(text, options); });
  declare_parallel_checks(set, options);
  declare_json_lines(set, options);
  declare_general(set, options);
}

void declare(OptionSet& set, CompletionOptions&) { declare_help(set); }

}  // namespace schedcc::cli
