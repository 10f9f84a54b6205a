// The table of the commands, with their help texts.

#include <array>
#include <type_traits>

#include "cli/commands.hpp"
#include "cli/generator_use.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/sources.hpp"
#include "cli/version.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

/// With --json, an input that cannot be read has an entry on standard output in place of the
/// report.
void report_unreadable(const ReportOptions& options, const InputError& error) {
  SourceLocation location = error.location;
  if (location.file.empty() && !options.arguments.empty() && is_file(options.arguments.front()))
    location.file = options.arguments.front();
  if (options.json && !location.file.empty() && !StandardOutput::used())
    StandardOutput().write(dump(json(location, error.what()), options));
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
  const RequestedAction wanted = set.read(command.name, arguments, options.arguments);
  if (wanted != RequestedAction::command) {
    StandardOutput().write(wanted == RequestedAction::help ? help(command) : version());
    return ok;
  }
  try {
    if constexpr (std::is_base_of_v<GeneratorOptions, Options>) {
      const auto generator = used_generator(options);
      return execute(options);
    } else {
      return execute(options);
    }
  } catch (const InputError& error) {
    if constexpr (std::is_base_of_v<ReportOptions, Options>) report_unreadable(options, error);
    throw;
  }
}

constexpr std::array<Command, 13> command_table{{
    {"list", "list algorithms, collectives, machines, checks, formats, models",
     R"(list [KIND]...

Lists what schedcc implements. KIND is algorithms, compositions, collectives,
machines, checks, formats or models. With one KIND, parameters and sources are
listed, too. With --files, 'list machines' lists the files of real systems.
)",
     R"(  schedcc list
  schedcc list algorithms
  schedcc list machines --files
  schedcc list algorithms --names
)",
     "the list is printed", "", run_with<ListOptions, list>, with_options<ListOptions>},
    {"compile", "build a schedule, check it, and write it",
     R"(compile SOURCE [options]

Builds the schedule that SOURCE names, checks it, and writes it. SOURCE is an
algorithm, NAME[:key=value,...], a composition of algorithms such as 'X as
reduce-scatter then Y as allgather', reverse(X), split(2, X) or levels(8, X, Y)
('schedcc list compositions'), or a file ('-': standard input). A schedule that
fails a check is not written. The report goes to standard error.

With --sample N it looks only at N random places, each a rank in a step, of up
to 2^60 ranks; in most schedules a place takes microseconds. What the rank sends
is what its peer expects, and it held it. That proves nothing of the rest: the
verdict is 'unknown'. The report counts what could not be decided, which is not
checked.

--collective or --problem states the problem of a program whose file says
'custom'.
)",
     R"(  schedcc compile chain --ranks 8 --chunks 4
  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 -o tree.hpp
  schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4 -o karp.svg
  schedcc compile xor --ranks 8 --level hop -o hops.sched
  schedcc compile ring --collective allreduce --ranks 5 --chunks 10 --json
  schedcc compile linear --collective scatter --ranks 3 --block-sizes sizes.txt
  schedcc compile 'circulant as reduce-scatter then circulant as allgather' \
    --ranks 12 --chunks 12
  mpirun -n 4 schedcc compile split-binary-tree --ranks 4096 --chunks 4096 \
    -o tree.schedb
  schedcc compile circulant --ranks 2^40 --chunks 64 --sample 10000
)",
     "every check holds; --sample: nothing is found", "a check is violated; nothing is written",
     run_with<CompileOptions, compile>, with_options<CompileOptions>},
    {"convert", "write a schedule in another format",
     R"(convert FILE -o FILE [--emit FORMAT] [options]

Reads a schedule in any readable format and writes it in another. Some pairs are
refused, with the reason: a plan of MSCCL++, say, can only be drawn (html). The
schedule is not checked. '-' is standard input or output. If the format can be
read, too, what it loses is listed on standard error.

--collective or --problem states the problem of a program whose file says
'custom'.
)",
     R"(  schedcc convert ring.sched -o ring.schedb
  schedcc convert ring.schedb --emit sched -o - | head
  schedcc convert plan.sched -o plan.xml --verify
  schedcc compile ring --ranks 1024 -o ring.schedb &&
    schedcc convert ring.schedb -o ring.csv
)",
     "the schedule is written", "with --verify: a check is violated; nothing is written",
     run_with<ConvertOptions, convert>, with_options<ConvertOptions>},
    {"verify", "check schedules in files",
     R"(verify FILE|DIR... [options]

Checks each schedule and reports on standard output. '-' is standard input; of a
folder, all schedules below it are checked, sorted by their paths.

--collective (with --root) or --problem states the problem of a program whose
file says 'custom'.

Processes that mpirun starts share the check of each schedule whose transfers
are all checked, and the memory that it takes, with one report. So they do for
'compile'; of a 'sweep' they share the problems.
)",
     R"(  schedcc verify schedules/*.sched
  schedcc verify schedules --format junit > schedules.xml
  schedcc verify ring.sched --blocking send-first --eager 1
  schedcc compile pairwise --ranks 16 |
    schedcc verify - --machine kport:k=2 --json
  mpirun -n 4 schedcc verify large.schedb
)",
     "every check of every file holds", "a check is violated", run_with<VerifyOptions, verify>,
     with_options<VerifyOptions>},
    {"lint", "check tuning tables and program folders of MPI and GPU libraries",
     R"(lint FILE|DIR... [options]

Reads the files from which a library chooses an algorithm for a call, as the
library reads them, and reports what it drops or never uses: programs in MSCCL
XML (a folder, or files in the order of the loader), rules of Open MPI's
component tuned (text or JSON), tables of NCCL's example of a tuner plugin.
Prints what is chosen for which calls.

With a cost model and --ranks P, it times the choices of a table, and reports
those that take longer than the best of the library's own algorithms.
)",
     R"(  schedcc lint /usr/share/rccl/msccl-algorithms
  schedcc lint rules.conf --ranks 48 --alpha 2us --beta 10GB/s
  schedcc lint nccl_tuner.conf --json
)",
     "nothing is found", "there are findings: warnings or errors", run_with<LintOptions, lint>,
     with_options<LintOptions>},
    {"show", "draw a schedule as a table, page or picture",
     R"(show SOURCE [options]

Draws a schedule as a table, with a row for each rank and a column for each
step, and marks the findings of the checks in it. A table that is too wide
continues below. --ranks A..B and --steps A..B show a part; the whole schedule
is checked, unless --no-verify. --ranks can be given twice: the number of ranks
of an algorithm, and those to be shown.

With -o FILE.html it writes a page for a browser instead, to step through the
schedule and to follow packets and ranks; with FILE.svg, .png or .pdf a picture.
A schedule that fails its checks is drawn, too, with the findings in the page.
)",
     R"(  schedcc show ring --collective allreduce --ranks 4 --chunks 4
  schedcc show circulant --ranks 64 --ranks 0..9 --chunks 8 --steps 0..5
  schedcc show schedules/bad/counted-twice.sched
  schedcc show schedules/bad/counted-twice.sched -o counted-twice.html
)",
     "it is drawn, also if a check is violated", "", run_with<ShowOptions, show>,
     with_options<ShowOptions>},
    {"explain", "explain how a rank got its value of a chunk",
     R"(explain SOURCE --rank R --chunk C [--step T] [options]

Lists the transfers that produced the value of a chunk at a rank, from its
origins on, then what is missing or counted twice, and its cause.
)",
     R"(  schedcc explain schedules/bad/counted-twice.sched --rank 0 --chunk 0
  schedcc explain binomial-tree --ranks 1024 --rank 777 --chunk 0
  schedcc explain ring --collective allreduce --ranks 8 --chunks 8 --rank 3 \
    --chunk 5 --step 4 --json
)",
     "the history is printed, also if the value is wrong", "", run_with<ExplainOptions, explain>,
     with_options<ExplainOptions>},
    {"cost", "compute the time of a schedule, beside formulas and lower bounds",
     R"(cost SOURCE --bytes N [options]

Prints steps, bytes and time of a schedule under a cost model, by a synchronous
and an asynchronous clock, with the formula of the paper and lower bounds.
Algorithm parameters and --chunks that are not given are chosen for the least
time. The schedule is checked first.

With -o FILE.html it also writes a page for a browser, in which the critical
path of the asynchronous clock, where the model has one, is marked.
)",
     R"(  schedcc cost fractional-tree --ranks 1024 --bytes 4MiB \
    --alpha 10us --beta 0.1ns/B
  schedcc cost chain --ranks 4 --bytes 1MB --chunks 10 \
    --alpha 10us --beta 1GB/s --critical-path -o chain.html
  schedcc cost karp --ranks 8 --bytes 1 \
    --machine logp:L=6,o=2,g=4 --model logp:L=6us,o=2us,g=4us
  schedcc cost tree.sched --bytes 64KiB --model bsp:l=20us,g=1ns/B --json
  schedcc cost ring --collective allreduce --ranks 8 --bytes 1GB --machine dgx-1
)",
     "the schedule holds, and its time is printed", "a check is violated",
     run_with<CostOptions, cost>, with_options<CostOptions>},
    {"tune", "find the fastest algorithm, parameters and chunks for a size",
     R"(tune --ranks P --bytes N [options]

Compares all algorithms that serve a problem, with all their parameters, and
the best composition of each kind ('schedcc list compositions'). Names the
fastest, and the command that makes its schedule. For a range of sizes, --bytes
1KiB..16MiB, or a list, it names the fastest for each size, the sizes at which
it changes, and a command for each interval. With -o FILE.svg it writes a plot.

With --emit ompi-rules, ompi-json or nccl-tuner it writes a table by which Open
MPI or NCCL chooses: the best of the library's own algorithms that schedcc has,
for the ranks and sizes stated. Sizes are then counted as the library does.
)",
     R"(  schedcc tune --collective allreduce --ranks 64 --bytes 1MiB \
    --alpha 10us --beta 0.1ns/B
  schedcc tune --collective broadcast --ranks 1024 --bytes 1KiB..16MiB \
    --alpha 10us --beta 10GB/s
  schedcc tune --collective allreduce --ranks 32 --bytes 64MiB \
    --machine dgx-a100-4
  schedcc tune --algorithms chain,binary-tree,fractional-tree \
    --improvement fractional-tree --ranks 64,1024,16384 --bytes 1MB..1TB \
    --points 121 --alpha 1us --beta 1ps/B -o figure3.svg
  schedcc tune --emit ompi-rules --collective broadcast,allreduce \
    --ranks 8..128 --bytes 1..64MiB --alpha 2us --beta 10GB/s -o rules.conf
)",
     "the fastest choice is printed, or the table written", "", run_with<TuneOptions, tune>,
     with_options<TuneOptions>},
    {"prove", "decide whether a schedule exists; find the least number of steps",
     R"(prove [FILE | ALGORITHM --all-chunks] [options]

With --steps T: whether any schedule with T steps exists. Without: the least T,
printing each T tried; the solver refutes every smaller T. If the solver gives
up, the report states the known bounds. A schedule that is found has passed
every check; -o writes it. Messages carry one chunk, unless the machine states a
width.

FILE, or what --generator prints, states the problem (a custom collective, for
example) and the machine; its steps are ignored. With --all-chunks, the formula
of an algorithm's schedule is proved for every number of chunks K at once.
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
the machine that it was designed for (or on --machine). Prints a line for each
algorithm.

With --resume FILE a sweep that is interrupted loses a second of its work: the
same command goes on from FILE, and its report is that of a sweep without an
interruption.
)",
     R"(  schedcc sweep --ranks 2..64 --chunks 1..16 -j 2
  schedcc sweep --algorithms chain,ring --ranks 2..9,100 --roots first
  schedcc sweep --algorithms circulant --ranks 2..2000 --shard 3/8
  mpirun -n 8 schedcc sweep --algorithms circulant --ranks 2..2000
  schedcc sweep --ranks 2..1024 --roots first -j 0 --resume long.state
  schedcc sweep --algorithms 'circulant then ring' --collective allreduce \
    --ranks 2..32
)",
     "every case holds", "a case failed", run_with<SweepOptions, sweep>,
     with_options<SweepOptions>},
    {"record", "run an MPI program, and check the schedule of its collective",
     R"(record [options] -- COMMAND...

Runs a program that implements a collective by messages, and writes and checks
the schedule that ran. The program marks the collective with the two functions
of schedcc/record.h (record.f90 in Fortran). COMMAND starts it, with a launcher:
its processes are to run on this machine. What the program prints goes to
standard error.

A program that hangs is stopped, and reported: who waits for whom. -o FILE with
'{}' writes a file for each number of ranks.
)",
     R"(  schedcc record -o ring.sched -- mpirun -np 12 ./ring
  schedcc record --ranks 2..17 -- mpirun -np {} --oversubscribe ./ring
  schedcc record --ranks 4,8 -o 'ring-{}.sched' --json -- mpirun -np {} ./ring
)",
     "every check holds", "a check is violated; nothing is written",
     run_with<RecordOptions, record>, with_options<RecordOptions>},
    {"completion", "print a script that completes command lines in bash, zsh or fish",
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

}  // namespace

std::span<const Command> commands() { return command_table; }

}  // namespace schedcc::cli
