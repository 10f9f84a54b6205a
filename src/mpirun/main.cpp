// schedcc-mpirun: executes algorithms and schedule files over MPI, with the runtime of the programs
// that `--emit mpi` writes, and without a compiler. Every process builds the schedules, or reads
// the files. With --calibrate it measures the machine instead.

#include <cstdio>
#include <string>

#include <fmt/core.h>

#include "core/manual_page.hpp"
#include "core/only_for.hpp"
#include "mpirun/calibrate.hpp"
#include "mpirun/source_table.hpp"
#include "schedcc/error.hpp"
#include "schedcc/mpi.hpp"
#include "schedcc/version.hpp"

namespace {

namespace mpi = schedcc::mpi;

constexpr const char* about =
    R"(Usage: mpirun -np P schedcc-mpirun SOURCE... [options]
       mpirun -np P schedcc-mpirun --calibrate -o FILE [options]

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
  mpirun -np 8 schedcc-mpirun --calibrate -o machine.json
)";

/// An InputError of schedcc is a usage error here: it is the same on every process.
mpi::Table open_table(const std::string& path, const mpi::Arguments& arguments) {
  schedcc::SourceOptions options;
  for (const auto& [option, value] : arguments.others) {
    (option == "--from"         ? options.format
     : option == "--machine"    ? options.machine
     : option == "--collective" ? options.collective
     : option == "--problem"    ? options.problem
     : option == "--ranks"      ? options.ranks
     : option == "--chunks"     ? options.chunks
                                : options.root) = value;
  }
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  try {
    return schedcc::source_table(path, options, static_cast<schedcc::Rank>(processes));
  } catch (const schedcc::InputError& error) {
    const schedcc::SourceLocation& at = error.location;
    const std::string file = at.file.empty() ? path : at.file;
    const std::string line = at.line != 0 ? fmt::format(":{}", at.line) : "";
    const std::string column = at.column != 0 ? fmt::format(":{}", at.column) : "";
    throw mpi::UsageError(fmt::format("{}{}{}: {}", file, line, column, error.what()));
  }
}

std::string help() {
  return fmt::format("{}{}{}{}", about, schedcc::calibrate_options, mpi::options_help(), ending);
}

int run(int argc, char** argv) {
  const mpi::Arguments arguments =
      mpi::parse(argc, argv,
                 {{"--from", "--machine", "--collective", "--root", "--problem", "--ranks",
                   "--chunks", "--output", "--ranks-per-node", "--ports"},
                  {"--calibrate"}});
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (arguments.help) {
    if (rank == 0) std::printf("%s", help().c_str());
    return 0;
  }
  const mpi::Watchdog watchdog(static_cast<unsigned>(arguments.limit));
  if (arguments.has("--calibrate")) {
    schedcc::calibrate(arguments);
    return 0;
  }
  for (const char* option : {"--output", "--ranks-per-node", "--ports"}) {
    if (arguments.has(option)) throw mpi::UsageError(schedcc::only_for(option, "--calibrate"));
  }
  if (arguments.rest.empty()) throw mpi::UsageError("missing SOURCE; see --help");
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
