#pragma once

// A program around tables: it executes each, compares every byte of the results with the definition
// of the collective, times it and the library's own collective, and prints a table.
//
// Exit status: 0 if all results are correct, 1 if not, 2 for bad usage, 3 if a time limit was
// reached.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/mpi/arguments.hpp"
#include "schedcc/mpi/counterpart.hpp"
#include "schedcc/mpi/payload.hpp"
#include "schedcc/mpi/watchdog.hpp"

namespace schedcc::mpi {

/// One table over its own ranks, for one size after another.
class TableBenchmark {
 public:
  TableBenchmark(const Table& table, MPI_Comm comm, const Arguments& arguments,
                 const NamedPayload& payload)
      : table_(table), comm_(comm), arguments_(arguments), payload_(payload) {
    MPI_Comm_rank(comm, &rank_);
    if (rank_ == 0) std::printf("%s: %s\n", table.name.c_str(), describe(table).c_str());
  }

  /// Does every rank end with the correct chunks? Prints errors. Collective.
  bool run() {
    try {
      for (const std::uint64_t bytes : arguments_.bytes) {
        if (!run(bytes)) return false;
      }
    } catch (const TableError& error) {
      if (rank_ == 0) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", error.what());
      }
      return false;
    }
    if (rank_ == 0 && arguments_.verify) {
      std::printf("  every byte is as the collective defines it\n");
      if (reduction(table_.problem) && idempotent(payload_.op_name)) {
        std::printf("  (with '%s', a contribution counted twice is not detected)\n",
                    payload_.op_name.c_str());
      }
    }
    std::fflush(stdout);
    return true;
  }

 private:
  bool run(std::uint64_t bytes) {
    const std::size_t size = payload_.type().size;
    const Cut cut{ceil_div(bytes, size), 0};
    Watchdog::start(nullptr);
    Executor executor(table_, comm_, cut, payload_.get(), arguments_.mode);
    PayloadTest trial(table_.problem, executor, payload_);
    Watchdog::rest();
    say_size(bytes, cut);
    trial.fill();
    std::vector<std::byte> start;  // restored before each execution
    if (arguments_.verify || reduction(table_.problem)) start = executor.memory().bytes();
    execute(executor);
    if (!right(trial)) return false;
    if (arguments_.repetitions == 0) return true;
    std::optional<LibraryCollective> library;
    if (arguments_.library) {
      library.emplace(table_.problem, executor.communicator(), cut.elements, executor.element(),
                      payload_.get().op);
      if (!library->exists()) library.reset();
    }
    time(executor, start, library ? &*library : nullptr, cut);
    return right(trial);
  }

  /// Rounded up to a whole number of elements.
  void say_size(std::uint64_t bytes, const Cut& cut) const {
    const NamedType& type = payload_.type();
    if (rank_ != 0 || bytes % type.size == 0) return;
    std::printf("  %s bytes become %s: %s of type %s\n", std::to_string(bytes).c_str(),
                std::to_string(cut.elements * type.size).c_str(),
                std::to_string(cut.elements).c_str(), type.name);
  }

  void execute(Executor& executor) {
    Watchdog::start(&executor);
    executor.run();
    Watchdog::rest();
  }

  /// The first rank with an error prints it.
  bool right(PayloadTest& trial) {
    if (!arguments_.verify) return true;
    const std::optional<std::string> wrong = trial.examine();
    int mine = wrong ? rank_ : INT32_MAX, first = 0;
    Watchdog::start(nullptr);
    check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_));
    Watchdog::rest();
    if (rank_ == first) {
      std::fflush(stdout);
      std::fprintf(stderr, "error: %s\n", wrong->c_str());
    }
    return first == INT32_MAX;
  }

  /// Contributions must be new for each execution. Copied chunks are overwritten only before the
  /// last one, so that its deliveries can be verified, without an effect on the caches of the
  /// others.
  void time(Executor& executor, const std::vector<std::byte>& start, LibraryCollective* library,
            const Cut& cut) {
    std::vector<double> ours, theirs;
    const auto clock = [&](std::vector<double>& times, auto work) {
      check(MPI_Barrier(comm_));
      const double begin = MPI_Wtime();
      work();
      times.push_back(MPI_Wtime() - begin);
    };
    if (library != nullptr) library->run();  // the table has been executed once already, too
    for (std::uint64_t i = 0; i < arguments_.repetitions; ++i) {
      if (!start.empty() && (reduction(table_.problem) || i + 1 == arguments_.repetitions)) {
        std::copy(start.begin(), start.end(), executor.memory().bytes().begin());
      }
      Watchdog::start(&executor);
      clock(ours, [&] { executor.run(); });
      if (library == nullptr) continue;
      Watchdog::start(nullptr);
      clock(theirs, [&] { library->run(); });
    }
    Watchdog::start(nullptr);
    ours = slowest(ours);
    theirs = slowest(theirs);
    Watchdog::rest();
    if (rank_ == 0) print(executor, cut, ours, theirs, library);
  }

  /// The times of the slowest rank in each repetition, ascending, at rank 0.
  std::vector<double> slowest(const std::vector<double>& times) {
    std::vector<double> result(times.size());
    check(MPI_Reduce(times.data(), result.data(), static_cast<int>(times.size()), MPI_DOUBLE,
                     MPI_MAX, 0, comm_));
    std::sort(result.begin(), result.end());
    return result;
  }

  void print(const Executor& executor, const Cut& cut, const std::vector<double>& ours,
             const std::vector<double>& theirs, const LibraryCollective* library) {
    const std::size_t size = payload_.type().size;
    const auto times = [](const std::vector<double>& t) {
      std::printf(" %10.1f %10.1f %10.1f", 1e6 * t.front(), 1e6 * t[t.size() / 2], 1e6 * t.back());
    };
    if (!heading_) {
      std::printf("%12s %10s %32s", "", "", "schedcc, us");
      if (library != nullptr) std::printf(" %28s, us  library", library->name());
      std::printf("\n%12s %10s %10s %10s %10s", "bytes", "of chunk", "least", "median", "most");
      if (library != nullptr) std::printf(" %10s %10s %10s /schedcc", "least", "median", "most");
      std::printf("\n");
      heading_ = true;
    }
    std::printf("%12s %10s", std::to_string(cut.elements * size).c_str(),
                std::to_string(executor.layout().size({0, 1}) * size).c_str());
    times(ours);
    if (library != nullptr) {
      times(theirs);
      std::printf(" %8.3f", theirs[theirs.size() / 2] / ours[ours.size() / 2]);
    }
    std::printf("\n");
  }

  const Table& table_;
  MPI_Comm comm_;
  const Arguments& arguments_;
  const NamedPayload& payload_;
  int rank_ = 0;
  bool heading_ = false;
};

/// Executes a table on the first of the processes, as many as it has ranks. Collective over all
/// processes. Rank 0 returns whether all results are correct; the others return true.
inline bool run_table(const Table& table, const Arguments& arguments) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &size));
  if (table.problem.ranks > static_cast<std::uint32_t>(size)) {
    throw UsageError("the schedule has " + counted(table.problem.ranks, "rank") + ", and there " +
                     (size == 1 ? "is" : "are") + " only " + std::to_string(size) + " process" +
                     (size == 1 ? "" : "es") + "; start more with -np");
  }
  const bool reduces = reduction(table.problem);
  const std::string type = !arguments.type.empty() ? arguments.type
                           : !reduces              ? "byte"
                           : table.problem.ordered ? "affine"
                                                   : "double";
  const std::string op = !arguments.op.empty() ? arguments.op
                         : type == "affine"    ? "compose"
                                               : "sum";
  std::optional<NamedPayload> payload;
  try {
    payload.emplace(type, op);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (reduces && op == "compose" && !table.problem.ordered) {
    throw UsageError("'compose' is not commutative, and the schedule does not keep the order");
  }
  const bool takes_part = static_cast<std::uint32_t>(rank) < table.problem.ranks;
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, rank, &comm));
  if (!takes_part) return true;
  const bool result = TableBenchmark(table, comm, arguments, *payload).run();
  MPI_Comm_free(&comm);
  return result;
}

constexpr const char* about_program =
    R"(Executes the schedule, compares every byte of the result with the definition of
the collective, and times the schedule and the library's own collective: the
times of the slowest rank.
)";

/// An error at one rank ends all: the others may wait for it.
inline void give_up(int rank, const char* why) {
  std::fflush(stdout);
  std::fprintf(stderr, "error: rank %d: %s\n", rank, why);
  abort_all(1);
}

/// Initialises MPI unless it is initialised, calls `work`, which returns an exit status, and
/// finalises MPI again. Errors are printed; one that is a rank's own ends all.
inline int with_mpi(int argc, char** argv, const std::function<int()>& work) {
  int running = 0, rank = 0, status = 0;
  MPI_Initialized(&running);
  if (running == 0) MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    status = work();
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } catch (const UsageError& error) {
    if (rank == 0) std::fprintf(stderr, "error: %s\n", error.what());
    status = 2;
  } catch (const std::bad_alloc&) {
    give_up(rank, "out of memory");
  } catch (const std::exception& error) {
    give_up(rank, error.what());
  }
  if (running == 0) MPI_Finalize();
  return status;
}

/// The main function of a program with a table.
inline int run_program(int argc, char** argv, const Table& table) {
  return with_mpi(argc, argv, [&] {
    const Arguments arguments = parse(argc, argv);
    if (!arguments.rest.empty()) throw UsageError("unknown argument '" + arguments.rest[0] + "'");
    if (arguments.help) {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      if (rank == 0) {
        std::printf("Usage: mpirun -np %u PROGRAM [options]\n\n%s: %s.\n%s\nOptions:\n%s",
                    table.problem.ranks, table.name.c_str(), describe(table).c_str(), about_program,
                    options_help());
      }
      return 0;
    }
    const Watchdog watchdog(static_cast<unsigned>(arguments.limit));
    return run_table(table, arguments) ? 0 : 1;
  });
}

}  // namespace schedcc::mpi
