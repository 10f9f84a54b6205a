// schedcc-mpirun: executes algorithms and schedule files over MPI, with the runtime of the programs
// that `--emit mpi` writes, and without a compiler. Every process builds the schedules, or reads
// the files.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "core/file_names.hpp"
#include "core/manual_page.hpp"
#include "format/msccl/reader.hpp"
#include "format/table.hpp"
#include "format/table_order.hpp"
#include "model/aliases.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/mpi.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/spec.hpp"
#include "schedcc/version.hpp"

namespace {

namespace mpi = schedcc::mpi;

constexpr const char* about =
    R"(Usage: mpirun -np P schedcc-mpirun SOURCE... [options]

Executes schedules, each on as many of the processes as it has ranks. SOURCE is
an algorithm, NAME[:key=value,...], a composition, or a file in any format that
schedcc reads, as for 'schedcc compile'. Compares every byte of the result with
the definition of the collective, and times the schedule and the library's own
collective: the times of the slowest rank.

Options:
      --ranks P            algorithms: the number of ranks (default: all
                           processes)
      --chunks K           algorithms: packets of a message, or chunks of a
                           block (default: 1)
      --from FORMAT        the format of the files (default: by extension or
                           content)
      --machine M          the machine whose limits the messages under way keep
                           (default: the source's); schedules that do not fit
                           it are refused
      --collective C       the collective of an algorithm (default: its first),
                           or of a program whose file states 'custom'
      --root R             the root of that collective (default: 0 for an
                           algorithm; found from a program)
      --problem FILE       the problem of such a program: a schedule, of which
                           the header is read
)";

constexpr const char* ending = R"(  -V, --version            print the version

Exit status:
  0   all results are right
  1   a result is wrong
  2   bad usage, unreadable or malformed input
  3   the time limit was reached

Examples:
  mpirun -np 8 schedcc-mpirun ring --ranks 8
  mpirun -np 8 schedcc-mpirun circulant --chunks 8 --bytes 64KiB,1MiB
  mpirun -np 8 schedcc-mpirun tree.sched --pace step --sends synchronous
)";

std::vector<mpi::Holding> holdings(std::span<const schedcc::Holding> lines) {
  std::vector<mpi::Holding> result;
  for (const schedcc::Holding& line : lines) {
    for (const schedcc::Run& run : line.runs) {
      result.push_back({line.rank, run.first, run.count, line.reduced});
    }
  }
  return result;
}

mpi::Problem problem_of(const schedcc::Problem& problem) {
  mpi::Problem result{std::string(schedcc::info(problem.collective).name),
                      problem.ranks,
                      problem.root,
                      problem.chunks,
                      problem.total_chunks(),
                      problem.ordered,
                      {},
                      {}};
  if (problem.custom) {
    result.pre = holdings(problem.custom->pre());
    result.post = holdings(problem.custom->post());
  }
  return result;
}

/// Options that describe a source; empty: not given.
struct SourceOptions {
  std::string format, machine, collective, root, problem, ranks, chunks;
};

schedcc::Rank number(const std::string& text, std::string_view option, std::uint64_t least) {
  return static_cast<schedcc::Rank>(schedcc::parse_number(text, option, least, UINT32_MAX));
}

/// Error if the schedule breaks the rules of the machine that was requested. (On its own machine a
/// schedule is not checked: the results of its execution show what is wrong.)
void expect_fits(schedcc::Source steps, const schedcc::Machine& machine, const std::string& path) {
  steps.program = nullptr;
  schedcc::CheckOptions options;
  options.checks = {"ports", "links", "causality"};
  options.max_findings = 1;
  const schedcc::Report report = schedcc::check(steps, machine, options);
  if (report.findings.empty()) return;
  const schedcc::Finding& first = report.findings.front();
  throw schedcc::InputError(
      {path, first.line, first.column},
      fmt::format("the schedule does not fit the machine '{}': {}", machine.spec(), first.message));
}

schedcc::Source build_source(const std::string& name, const SourceOptions& options) {
  if (!options.format.empty()) throw schedcc::InputError("--from is for files");
  if (!options.problem.empty()) throw schedcc::InputError("--problem is for files");
  const auto algorithm = schedcc::named_algorithm(schedcc::algorithm_spec(name));
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  schedcc::Problem problem;
  problem.collective = options.collective.empty() ? algorithm->collectives.front()
                                                  : schedcc::collective_of_user(options.collective);
  problem.ranks = options.ranks.empty() ? static_cast<schedcc::Rank>(processes)
                                        : number(options.ranks, "--ranks", 1);
  if (!options.root.empty() && !problem.rooted()) {
    throw schedcc::InputError(
        fmt::format("{} has no root", schedcc::info(problem.collective).name));
  }
  if (!options.root.empty()) problem.root = number(options.root, "--root", 0);
  if (!options.chunks.empty()) problem.chunks = number(options.chunks, "--chunks", 1);
  if (problem.collective != schedcc::Collective::custom) problem.validate();
  return schedcc::from_algorithm(name, problem, options.machine);
}

schedcc::Source read_source(const std::string& path, const SourceOptions& options) {
  if (!options.ranks.empty() || !options.chunks.empty()) {
    throw schedcc::InputError(fmt::format("{} is for algorithms; a file states its own problem",
                                          options.ranks.empty() ? "--chunks" : "--ranks"));
  }
  if (path == "-")
    throw schedcc::InputError("standard input cannot be read by every process; name a file");
  schedcc::Source source = schedcc::read_file(path, options.format);
  if (options.collective.empty()) {
    if (!options.root.empty()) throw schedcc::InputError("--root needs --collective");
    if (options.problem.empty()) return source;
    return schedcc::taken_for(source, schedcc::read_problem(options.problem, source.problem.ranks));
  }
  if (!options.problem.empty()) {
    throw schedcc::InputError("--collective cannot be combined with --problem");
  }
  std::optional<schedcc::Rank> root;
  if (!options.root.empty()) {
    root = number(options.root, "--root", 0);
  }
  return schedcc::taken_for(source, schedcc::collective_of_user(options.collective), root);
}

/// The table of an algorithm or a file. Throws InputError.
mpi::Table source_table(const std::string& path, const SourceOptions& options) {
  const schedcc::Source source = schedcc::names_file(path) || !options.format.empty()
                                     ? read_source(path, options)
                                     : build_source(path, options);
  source.problem.validate();
  if (source.has_routers()) {
    throw schedcc::InputError({path}, "only schedules at endpoint level can be executed");
  }
  const schedcc::Machine machine =
      options.machine.empty() ? schedcc::named_machine(source)
                              : schedcc::make_machine(options.machine, source.problem.ranks);
  if (!options.machine.empty()) expect_fits(source, machine, path);
  schedcc::cpp::refuse_reordered(source, machine, "an MPI program");
  const auto table =
      std::make_shared<const schedcc::cpp::Table>(schedcc::cpp::by_rank(source, machine));
  return {source.name, problem_of(source.problem), machine.spec(), [table](std::uint32_t rank) {
            const auto own = table->of(rank);
            return std::vector(own.begin(), own.end());
          }};
}

/// An InputError of schedcc is a usage error here: it is the same on every process.
mpi::Table open_table(const std::string& path, const mpi::Arguments& arguments) {
  SourceOptions options;
  for (const auto& [option, value] : arguments.others) {
    (option == "--from"         ? options.format
     : option == "--machine"    ? options.machine
     : option == "--collective" ? options.collective
     : option == "--problem"    ? options.problem
     : option == "--ranks"      ? options.ranks
     : option == "--chunks"     ? options.chunks
                                : options.root) = value;
  }
  try {
    return source_table(path, options);
  } catch (const schedcc::InputError& error) {
    const schedcc::SourceLocation& at = error.place;
    const std::string file = at.file.empty() ? path : at.file;
    const std::string line = at.line != 0 ? fmt::format(":{}", at.line) : "";
    const std::string column = at.column != 0 ? fmt::format(":{}", at.column) : "";
    throw mpi::UsageError(fmt::format("{}{}{}: {}", file, line, column, error.what()));
  }
}

std::string help() { return fmt::format("{}{}{}", about, mpi::options_help(), ending); }

int run(int argc, char** argv) {
  const mpi::Arguments arguments = mpi::parse(
      argc, argv,
      {"--from", "--machine", "--collective", "--root", "--problem", "--ranks", "--chunks"});
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (arguments.help) {
    if (rank == 0) std::printf("%s", help().c_str());
    return 0;
  }
  if (arguments.rest.empty()) throw mpi::UsageError("missing SOURCE; see --help");
  const mpi::Watchdog watchdog(static_cast<unsigned>(arguments.limit));
  bool right = true;
  for (const std::string& path : arguments.rest) {
    right = mpi::run_table(open_table(path, arguments), arguments) && right;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  // Without MPI, so that no launcher is needed.
  const std::string first = argc == 2 ? argv[1] : "";
  if (first == "--version" || first == "-V") {
    std::puts("schedcc-mpirun " SCHEDCC_VERSION);
    return 0;
  }
  if (first == "--man") {
    std::printf("%s%s",
                schedcc::manual_head("schedcc-mpirun", SCHEDCC_VERSION,
                                     "execute communication schedules over MPI")
                    .c_str(),
                schedcc::manual_sections(help()).c_str());
    std::puts(".SH SEE ALSO\n.BR schedcc (1)");
    return 0;
  }
  return mpi::with_mpi(argc, argv, [&] { return run(argc, argv); });
}
