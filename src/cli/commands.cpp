// The commands and their help texts; the options in these come from the list of options.

#include "cli/commands.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/sources.hpp"
#include "cli/version.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

Status first_status(Status a, Status b) {
  for (const Status status : {internal_error, bad_input, violated, undecided}) {
    if (a == status || b == status) return status;
  }
  return ok;
}

Status status_of(const Report& report) {
  if (report.below_bound) return internal_error;
  switch (report.verdict()) {
    case Verdict::holds:
      return ok;
    case Verdict::violated:
      return violated;
    case Verdict::unknown:
      break;
  }
  return undecided;
}

namespace {

/// With --json, an input that cannot be read has an entry on standard output in place of the
/// report.
void report_unreadable(const GeneralOptions& options, const InputError& error) {
  SourceLocation place = error.place;
  if (place.file.empty() && !options.arguments.empty() && is_file(options.arguments.front()))
    place.file = options.arguments.front();
  if (options.json && !place.file.empty() && !StandardOutput::used())
    StandardOutput().write(dump(json(place, error.what()), options));
}

/// The exit statuses of a command, for its help.
std::string statuses(const Command& command) {
  const std::pair<int, std::string_view> rows[] = {
      {ok, command.success},
      {violated, command.failure},
      {bad_input, "bad usage, unreadable or malformed input, or output that cannot be written"},
      {undecided, "undecided: a limit of time or memory was reached"},
      {internal_error, "an internal error of schedcc"}};
  std::string result;
  for (const auto& [status, meaning] : rows) {
    if (!meaning.empty()) result += fmt::format("  {:<3} {}\n", status, meaning);
  }
  return result;
}

template <typename Options>
void with_options(const std::function<void(const OptionSet&)>& use) {
  Options options;
  OptionSet set;
  declare(set, options);
  use(set);
}

/// Reads the options of a command, and executes it.
template <typename Options, Status (*execute)(const Options&)>
Status run_with(const Command& command, const std::vector<std::string>& arguments) {
  Options options;
  OptionSet set;
  declare(set, options);
  const Wanted wanted = set.read(command.name, arguments, options.arguments);
  if (wanted != Wanted::command) {
    StandardOutput().write(wanted == Wanted::help ? help(command) : version());
    return ok;
  }
  try {
    return execute(options);
  } catch (const InputError& error) {
    report_unreadable(options, error);
    throw;
  }
}

constexpr std::array<Command, 10> table{{
    {"list", "algorithms, collectives, machines, checks, formats, cost models",
     R"(list [KIND]...

Lists what schedcc implements. KIND is algorithms, compositions, collectives,
machines, checks, formats or models. A list alone has parameters and sources,
too.
)",
     R"(  schedcc list
  schedcc list algorithms
)",
     "the names are printed", "", run_with<ListOptions, list>, with_options<ListOptions>},
    {"compile", "build a schedule, check it, and write it",
     R"(compile SOURCE [options]

Builds the schedule that SOURCE names, checks it, and writes it. SOURCE is an
algorithm, NAME[:key=value,...], a composition of algorithms such as 'X as
reduce-scatter then Y as allgather', reverse(X) or split(2, X) ('schedcc list
compositions'), or a file ('-': standard input). A schedule that fails a check
is not written. The report goes to standard error.

--collective or --problem states the problem of a program whose file says
'custom'.
)",
     R"(  schedcc compile chain --ranks 8 --chunks 4
  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 -o tree.hpp
  schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4 --emit dot |
    dot -Tsvg -o karp.svg
  schedcc compile xor --ranks 8 --level hop -o hops.sched
  schedcc compile ring --collective allreduce --ranks 5 --chunks 10 --json
  schedcc compile linear --collective scatter --ranks 3 --block-sizes sizes.txt
  schedcc compile 'circulant as reduce-scatter then circulant as allgather' \
    --ranks 12 --chunks 12
)",
     "every check holds", "a check is violated; nothing is written",
     run_with<CompileOptions, compile>, with_options<CompileOptions>},
    {"verify", "check schedules in files",
     R"(verify FILE|DIR... [options]

Checks each schedule and reports on standard output. '-' is standard input; of a
folder, all schedules below it are checked, sorted by their paths.

--collective (with --root) or --problem states the problem of a program whose
file says 'custom'.
)",
     R"(  schedcc verify schedules/*.sched
  schedcc verify schedules --format junit > schedules.xml
  schedcc verify ring.sched --blocking send-first --eager 1
  schedcc compile pairwise --ranks 16 |
    schedcc verify - --machine kport:k=2 --json
)",
     "every check of every file holds", "a check is violated", run_with<VerifyOptions, verify>,
     with_options<VerifyOptions>},
    {"show", "a small schedule as a table",
     R"(show SOURCE [options]

Draws a schedule as a table, with a row for each rank and a column for each
step, and marks the findings of the checks in it. A table that is too wide
continues below. --ranks A..B and --steps A..B show a part; the whole schedule
is checked, unless --no-verify. --ranks can be given twice: the number of ranks
of an algorithm, and those to be shown.
)",
     R"(  schedcc show ring --collective allreduce --ranks 4 --chunks 4
  schedcc show circulant --ranks 64 --ranks 0..9 --chunks 8 --steps 0..5
  schedcc show schedules/bad/counted-twice.sched
)",
     "the table is drawn, also if a check is violated", "", run_with<ShowOptions, show>,
     with_options<ShowOptions>},
    {"explain", "how a rank came to hold what it holds of a chunk",
     R"(explain SOURCE --rank R --chunk C [--step T] [options]

Lists the transfers that made the value of a chunk at a rank, from its origins
on; what is missing or counts twice, and the transfer that is to blame.
)",
     R"(  schedcc explain schedules/bad/counted-twice.sched --rank 0 --chunk 0
  schedcc explain binomial-tree --ranks 1024 --rank 777 --chunk 0
  schedcc explain ring --collective allreduce --ranks 8 --chunks 8 --rank 3 \
    --chunk 5 --step 4 --json
)",
     "the history is printed, also if the value is wrong", "", run_with<ExplainOptions, explain>,
     with_options<ExplainOptions>},
    {"cost", "the time of a schedule, the papers' formula, and lower bounds",
     R"(cost SOURCE --bytes N [options]

Prints steps, bytes and time of a schedule under a cost model, by a synchronous
and an asynchronous clock, with the formula of the paper and lower bounds.
Parameters of an algorithm and --chunks, where they are not given, are those
that take the least time. The schedule is checked first.
)",
     R"(  schedcc cost fractional-tree --ranks 1024 --bytes 4MiB \
    --alpha 10us --beta 0.1ns/B
  schedcc cost chain --ranks 4 --bytes 1MB --chunks 10 \
    --alpha 10us --beta 1GB/s --critical-path
  schedcc cost karp --ranks 8 --bytes 1 \
    --machine logp:L=6,o=2,g=4 --model logp:L=6us,o=2us,g=4us
  schedcc cost tree.sched --bytes 64KiB --model bsp:l=20us,g=1ns/B --json
)",
     "the schedule holds, and its time is printed", "a check is violated",
     run_with<CostOptions, cost>, with_options<CostOptions>},
    {"tune", "the fastest algorithm, parameters and chunks for a size",
     R"(tune --ranks P --bytes N [options]

Compares all algorithms that serve a problem, with all their parameters, and
the best sequence of two of each kind ('schedcc list compositions'). Names the
fastest, and the command that makes its schedule. For a range of sizes, --bytes
1KiB..16MiB, it names the fastest for each size, and the sizes at which it
changes. With -o FILE.svg it writes a plot.
)",
     R"(  schedcc tune --collective allreduce --ranks 64 --bytes 1MiB \
    --alpha 10us --beta 0.1ns/B
  schedcc tune --collective broadcast --ranks 1024 --bytes 1KiB..16MiB \
    --alpha 10us --beta 10GB/s
  schedcc tune --algorithms chain,binary-tree,fractional-tree \
    --improvement fractional-tree --ranks 64,1024,16384 --bytes 1MB..1TB \
    --points 121 --alpha 1us --beta 1ps/B -o figure3.svg
)",
     "the fastest choice is printed", "", run_with<TuneOptions, tune>, with_options<TuneOptions>},
    {"prove", "decide whether a schedule exists; find the least number of steps",
     R"(prove [FILE | ALGORITHM --all-chunks] [options]

Decides for all schedules at once. With --steps T: whether a schedule with T
steps exists. Without: the least T, printing each T tried; the solver refutes
every smaller T. If it is undecided, the report says what is known. A schedule
that is found has passed every check; -o writes it. Messages carry one chunk,
unless the machine states a width.

FILE states the problem (a custom collective, for example) and the machine; its
steps are ignored. With --all-chunks, the formula of an algorithm's schedule is
proved for every number of chunks K at once.
)",
     R"(  schedcc prove --collective broadcast --ranks 8 --chunks 2
  schedcc prove --collective allreduce --ranks 6 --machine simplex -o best.sched
  schedcc prove --collective alltoall --ranks 8 --machine ebft --steps 10 \
    --certificate no/
  schedcc prove schedules/halo-exchange.sched --machine simplex
  schedcc prove --collective allgather --ranks 8 --chunks 6 --pareto \
    --machine topology:schedules/topologies/dgx1.json
  schedcc prove fractional-tree:r=8 --ranks 4096 --all-chunks
  schedcc prove butterfly --ranks 2^40 --all-chunks
)",
     "a schedule exists, the least number of steps is proved, or the formula\n      holds",
     "no schedule with T steps exists, or a formula is violated", run_with<ProveOptions, prove>,
     with_options<ProveOptions>},
    {"sweep", "compile and check a whole range of problems",
     R"(sweep [options]

Compiles and checks algorithms over ranges of ranks, chunks and roots, each on
the machine that it was made for (or on --machine). Prints a line for each
algorithm.
)",
     R"(  schedcc sweep --ranks 2..64 --chunks 1..16 -j 2
  schedcc sweep --algorithms chain,ring --ranks 2..9,100 --roots first
  schedcc sweep --algorithms circulant --ranks 2..2000 --shard 3/8
  schedcc sweep --algorithms 'circulant then ring' --collective allreduce \
    --ranks 2..32
)",
     "every case holds", "a case failed", run_with<SweepOptions, sweep>,
     with_options<SweepOptions>},
    {"completion", "a script that completes command lines in bash, zsh or fish",
     R"(completion bash|zsh|fish

Prints a script that makes the shell complete commands, options, algorithms,
machines, formats and their parameters. The script asks schedcc, so that it
remains right for every version. 'cmake --install' puts it where the shells look
for it.
)",
     R"(  source <(schedcc completion bash)
  schedcc completion zsh > ~/.zfunc/_schedcc
  schedcc completion fish | source
)",
     "the script is printed", "", run_with<CompletionOptions, completion>,
     with_options<CompletionOptions>},
}};

constexpr const char* synopsis = "Usage: schedcc COMMAND [options]\n\nCommands:\n";

std::string command_list() {
  std::string result;
  for (const Command& command : commands()) {
    result += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  return result;
}

}  // namespace

std::string help(const Command& command) {
  std::string options;
  command.with_options([&](const OptionSet& set) { options = set.help(); });
  return fmt::format("Usage: schedcc {}\nOptions:\n{}\nExit status:\n{}\nExamples:\n{}",
                     command.about, options, statuses(command), command.examples);
}

std::string overview() {
  return fmt::format(R"(schedcc compiles and verifies communication schedules.

{}{}
Examples:
  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 -o tree.sched
  schedcc verify tree.sched
  schedcc compile tree.sched --emit dot | dot -Tsvg -o tree.svg

'schedcc COMMAND --help' explains a command; 'schedcc list' prints the names of
algorithms, machines, formats, ...
Exit status: 0 every check holds; 1 a check is violated; 2 bad usage or input;
3 undecided; 70 an internal error of schedcc.
)",
                     synopsis, command_list());
}

namespace {

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  if (is_file(name) ||
      std::ranges::find(algorithms(), name, &Algorithm::name) != algorithms().end()) {
    throw UsageError(fmt::format("unknown command '{0}'; did you mean 'schedcc {1} {0}'?",
                                 printable(name), is_file(name) ? "verify" : "compile"));
  }
  throw UsageError(unknown("command", name, names));
}

}  // namespace

std::span<const Command> commands() { return table; }

Status run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_error(
        fmt::format("{}{}\n'schedcc COMMAND --help' explains a command, 'schedcc --help' has "
                    "examples.\n",
                    synopsis, command_list()));
    return bad_input;
  }
  const std::string& first = arguments.front();
  const bool wants_version = first == "--version" || first == "-V";
  if (wants_version || first == "--help" || first == "-h" ||
      (first == "help" && arguments.size() == 1)) {
    StandardOutput().write(wants_version ? version() : overview());
    return ok;
  }
  if (first == "help") {
    const Command& command = find_command(arguments[1]);
    return command.run(command, {"--help"});
  }
  if (first == "--man") {
    StandardOutput().write(manual());
    return ok;
  }
  if (first == "__complete") {
    StandardOutput().write(completions({arguments.begin() + 1, arguments.end()}));
    return ok;
  }
  if (first.starts_with('-')) {
    throw UsageError(fmt::format(
        "'{}' is an option where a command is expected; 'schedcc --help' lists commands", first));
  }
  const Command& command = find_command(first);
  return command.run(command, std::vector<std::string>(arguments.begin() + 1, arguments.end()));
}

}  // namespace schedcc::cli
