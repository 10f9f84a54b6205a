// Which command takes which options, in the order of --help.

#include "cli/options.hpp"

#include <charconv>

#include <fmt/core.h>

#include "cli/number_list.hpp"
#include "cli/tune_table.hpp"
#include "core/counted.hpp"
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
    throw UsageError(fmt::format("format '{}' is only written, not read", name));
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
  throw UsageError(
      fmt::format("--timeout is a number of seconds above 0, at most {}, not '{}'", most, text));
}

/// Reads a limit on memory, in bytes.
std::uint64_t memory(const std::string& text) {
  constexpr std::uint64_t least = 1 << 20;
  const std::uint64_t bytes = parse_bytes(text, "--memory");
  if (bytes < least) {
    throw UsageError(fmt::format("--memory is 1 MiB or more, not '{}', which is read as {}", text,
                                 counted(bytes, "byte")));
  }
  return bytes;
}

/// Reads --shard I/N.
void read_shard(const std::string& text, SweepOptions& options) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw UsageError(fmt::format("--shard is I/N, not '{}'", text));
  options.shards = parse_number(text.substr(slash + 1), "--shard", 1);
  options.shard = parse_number(text.substr(0, slash), "--shard", 1, options.shards) - 1;
}

constexpr Variant source_machine{{}, "as the source states, else duplex"};
constexpr Variant suggested_root{{}, "as the program suggests"};
constexpr std::string_view ranks_of_machine = "that of the machine, if it states one";
constexpr Variant fastest_chunks{{}, "the number that takes the least time"};
constexpr Variant prints_schedules{
    .help =
        "a program that prints a .sched schedule for the --ranks, --chunks and --root that it "
        "gets: the algorithm 'generator'"};

void declare_problem(OptionSet& set, ProblemOptions& options, Variant collective, Variant machine,
                     Variant root = {}) {
  set.add("collective", options.collective, collective);
  set.add("machine", options.machine, machine);
  set.add("root", options.root, root);
  set.add("ordered", options.ordered);
}

void declare_sizes(OptionSet& set, SizeOptions& options, Variant chunks = {}) {
  set.add("ranks", options.ranks, {{}, ranks_of_machine});
  set.add("chunks", options.chunks, chunks);
  set.add("block-sizes", options.block_sizes);
}

/// The generator, and the time that each of its runs may take.
void declare_generator(OptionSet& set, GeneratorOptions& options, Variant generator = {}) {
  set.add("generator", options.generator, generator);
  set.add(
      "timeout", [&options](const std::string& text) { options.timeout = seconds(text); },
      {.help = "stop the generator after S seconds"},
      fmt::format("{}", GeneratorOptions::default_timeout));
}

/// Reads --ranks of commands that show a part: a number of ranks, or those to be shown.
void read_ranks(const std::string& text, SizeOptions& sizes, PartOptions& part) {
  const bool range = text.find("..") != std::string::npos;
  if (range ? part.shown_ranks.has_value() : sizes.ranks.has_value())
    throw UsageError("option '--ranks' is given twice");
  if (range) {
    part.shown_ranks = number_interval(text, "--ranks");
  } else {
    sizes.ranks = parse_number(text, "--ranks", 1);
  }
}

/// The numbers of a problem, with the ranks and steps to be shown.
void declare_part(OptionSet& set, SizeOptions& sizes, PartOptions& part, Variant chunks = {}) {
  set.add("ranks", [&](const std::string& text) { read_ranks(text, sizes, part); },
          {.argument = "P|A..B",
           .fallback = ranks_of_machine,
           .help = "number of ranks; A..B: show only these; give both if needed",
           .repeats = true});
  set.add("steps",
          [&part](const std::string& text) { part.shown_steps = number_interval(text, "--steps"); },
          {.argument = "A..B", .fallback = "all", .help = "show only these steps"});
  set.add("chunks", sizes.chunks, chunks);
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

/// A SOURCE: an algorithm and its problem, a generator, or a file. `sizes` declares the numbers of
/// the problem.
template <typename Sizes>
void declare_source_with(OptionSet& set, SourceOptions& options, Sizes sizes) {
  declare_problem(set, options, {{}, "the first that the algorithm implements"}, source_machine);
  sizes();
  declare_generator(set, options);
  declare_file(set, options);
}

void declare_source(OptionSet& set, SourceOptions& options, Variant chunks = {}) {
  declare_source_with(set, options, [&] { declare_sizes(set, options, chunks); });
}

/// A SOURCE, of which a part is shown.
void declare_source(OptionSet& set, SourceOptions& options, PartOptions& part,
                    Variant chunks = {}) {
  declare_source_with(set, options, [&] { declare_part(set, options, part, chunks); });
}

void declare_checks(OptionSet& set, CheckOptions& check) {
  set.add("checks", [&check](const std::string& text) { check.checks = known_checks(text); });
  set.add("strict", check.strict);
  set.add_choice("blocking", check.blocking);
  set.add_number("eager", check.eager);
  set.add("max-buffer", check.max_buffer);
}

/// The checks of a source, which may be a program.
void declare_checks(OptionSet& set, FileOptions& file, CheckOptions& check) {
  declare_checks(set, check);
  set.add("runtime", file.runtime);
  set.add("fifo", check.fifo);
  set.add_number("max-findings", check.max_findings);
}

void declare_model(OptionSet& set, ModelOptions& options) {
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

void declare_general(OptionSet& set, ReportOptions& options) {
  set.add("json", options.json);
  declare_printing(set, options);
}

/// Declares the options of commands with several reports.
void declare_reports(OptionSet& set, ReportOptions& options) {
  set.add("json-lines",
          [&options](const std::string&) { options.json = options.json_lines = true; });
  declare_general(set, options);
}

}  // namespace

void declare(OptionSet& set, ListOptions& options) {
  set.add("files", options.files);
  set.add("names", options.names);
  declare_general(set, options);
}

void declare(OptionSet& set, CompileOptions& options) {
  declare_source(set, options, options);
  declare_output(set, options, {{}, "standard output"});
  set.add_choice("level", options.hop_level);
  set.add("no-verify", options.no_verify);
  set.add("sample", options.sample);
  set.add("seed", options.seed);
  declare_checks(set, options, options.check);
  set.add_number("jobs", options.check.jobs);
  declare_reports(set, options);
}

void declare(OptionSet& set, ConvertOptions& options) {
  set.add("collective", options.collective);
  set.add("root", options.root, suggested_root);
  declare_file(set, options);
  declare_output(set, options, {});
  set.add("verify", options.verify);
  declare_printing(set, options);
}

void declare(OptionSet& set, VerifyOptions& options) {
  declare_problem(set, options, {}, source_machine, suggested_root);
  set.add("ranks", options.ranks, {{}, "as each FILE states"});
  set.add("chunks", options.chunks, {{}, "as each FILE states; of a generator 1"});
  declare_generator(set, options);
  declare_file(set, options);
  declare_checks(set, options, options.check);
  set.add("same-as", options.same_as);
  set.add_number("jobs", options.check.jobs,
                 {.help = "files to check at once, or threads that check a single one; 0: one per "
                          "processor"});
  set.add_choice("format", options.format);
  declare_reports(set, options);
}

void declare(OptionSet& set, LintOptions& options) {
  set.add("from", options.from,
          {"msccl|ompi-rules|ompi-json|nccl-tuner", "by its content", "format of all files"});
  set.add("runtime", options.runtime, {{}, "rccl", "the runtime that loads the programs"});
  set.add("ranks", options.ranks,
          {{}, ranks_of_machine, "ranks for which the choices of a table are timed"});
  set.add("machine", options.machine, {{}, "duplex, or that of the cost model"});
  declare_model(set, options);
  set.add_number("max-findings", options.max_findings);
  declare_general(set, options);
}

void declare(OptionSet& set, ExplainOptions& options) {
  set.add("rank", options.rank);
  set.add("chunk", options.chunk);
  set.add("step", options.step);
  declare_source(set, options);
  set.add("runtime", options.runtime);
  declare_general(set, options);
}

void declare(OptionSet& set, ShowOptions& options) {
  declare_source(set, options, options);
  declare_output(set, options, {{}, "a table on standard output"}, {{}, "by the extension of -o"});
  set.add("no-verify", options.no_verify);
  declare_checks(set, options, options.check);
  declare_printing(set, options);
}

void declare(OptionSet& set, CostOptions& options) {
  declare_source(set, options, options, fastest_chunks);
  set.add("output", options.output,
          {"FILE.html", "no page",
           "a page for a browser, with the times, and the critical path marked in the schedule"});
  set.add("bytes", options.bytes);
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
  set.add("ranks", options.ranks, {"P,P..P,...", ranks_of_machine});
  set.add("chunks", options.chunks, fastest_chunks);
  set.add("algorithms", options.algorithms);
  declare_generator(set, options, prints_schedules);
  set.add("bytes", options.bytes, {"N,N..M,...", {}});
  declare_model(set, options);
  set.add("points", options.points);
  set.add("improvement", options.improvement);
  set.add("reproducible", options.reproducible);
  const auto emit = [&options](const std::string& text) {
    check_tune_emission(text);
    options.emit = text;
  };
  set.add("emit", emit,
          {"svg|ompi-rules|ompi-json|nccl-tuner", "svg, if -o is an .svg file",
           "a plot, or a table by which a library chooses; nccl-tuner takes protocol=, channels= "
           "and nodes= for its rules"});
  set.add("output", options.output, {"FILE", "standard output"});
  set.add("csv", options.csv);
  declare_general(set, options);
}

void declare(OptionSet& set, ProveOptions& options) {
  declare_problem(set, options, {}, {{}, "as FILE states, else duplex"});
  declare_sizes(set, options);
  set.add("generator", options.generator);
  declare_file(set, options);
  set.add("all-chunks", options.all_chunks);
  set.add("steps", options.steps);
  set.add("rounds", options.rounds);
  set.add("no-wait", options.no_wait);
  set.add("pareto", options.pareto);
  set.add("assume-bound", options.assume_bound);
  set.add_number("eager", options.eager);
  set.add("timeout", [&options](const std::string& text) { options.timeout = seconds(text); });
  set.add("memory", [&options](const std::string& text) { options.memory = memory(text); });
  set.add("solver", options.solver);
  set.add("smt2", options.smt2);
  set.add("certificate", options.certificate);
  declare_output(set, options, {{}, "no schedule is written"});
  declare_general(set, options);
}

void declare(OptionSet& set, SweepOptions& options) {
  set.add("algorithms", options.algorithms,
          {.help = "algorithms, NAME[:key=value,...]; with --generator, only those listed here"});
  declare_generator(set, options, prints_schedules);
  set.add("collective", options.collective, {{}, "all that the algorithm implements"});
  set.add("machine", options.machine, {{}, "that of the algorithm"});
  set.add("ranks", options.ranks, {"P,P..P,...", {}});
  set.add("chunks", options.chunks, {"K,K..K,...", {}});
  set.add_choice("roots", options.first_root);
  set.add("shard", [&options](const std::string& text) { read_shard(text, options); });
  set.add("resume", options.resume);
  declare_checks(set, options.check);
  set.add_number("jobs", options.jobs, {.help = "cases to check at once; 0: one per processor"});
  declare_reports(set, options);
}

void declare(OptionSet& set, RecordOptions& options) {
  set.add("ranks", options.ranks,
          {"P,P..P,...",
           {},
           "run the command for each number of ranks, which replaces '{}' in it and in the name "
           "of -o, or the value of its option -np or -n"});
  set.add("machine", options.machine, {{}, "duplex"});
  set.add("ordered", options.ordered);
  set.add("recorder", options.recorder);
  set.add(
      "timeout", [&options](const std::string& text) { options.timeout = seconds(text); },
      {.help = "stop the program when it has made no progress for S seconds"},
      fmt::format("{}", options.timeout));
  declare_output(set, options, {{}, "standard output; with --ranks, none"});
  declare_checks(set, options.check);
  set.add_number("max-findings", options.check.max_findings);
  declare_reports(set, options);
}

void declare(OptionSet& set, CompletionOptions&) { declare_help(set); }

}  // namespace schedcc::cli
