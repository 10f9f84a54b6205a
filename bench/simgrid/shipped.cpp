// Times MPI_Bcast on a simulated machine, for each size in bytes that the command line names, in
// ascending order:
//
//   smpirun -np (P + 1) -platform X.xml --cfg=smpi/bcast:NAME shipped watched BYTES:LIMIT...
//   smpirun -np P -platform X.xml --cfg=smpi/bcast:NAME shipped alone BYTES:LIMIT...
//
// Prints a line for each size: the bytes, and the simulated microseconds from the common start of P
// ranks until the last of them has the whole message; or "slow" if a smaller size has already taken
// more than LIMIT microseconds. With `watched` an additional rank prints "cut" and ends the program
// if a size takes longer than its limit, since the simulation may take an hour. (Some algorithms
// fail if not all ranks of the program take part: they are run with `alone`.) The second of two
// broadcasts is timed: in the first, some algorithms create communicators, which may take the
// simulator a minute. For the same reason one program times all sizes. The payload is not verified:
// SimGrid lets all ranks share one buffer, since large broadcasts over many ranks would not fit
// into memory.

#include <mpi.h>
#include <smpi/smpi.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

void sleep_seconds(double seconds) {
  const long nanoseconds = std::lround(seconds * 1e9);
  const timespec wait = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&wait, nullptr);
}

/// Lets all ranks begin at the same simulated time, which it returns.
double start_together() {
  double now = MPI_Wtime(), latest = 0;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double start = latest + 0.01;
  sleep_seconds(start - MPI_Wtime());
  return start;
}

/// All ranks but one, or all if there is no such rank. Made without MPI_Comm_split, in which there
/// is a broadcast.
MPI_Comm all_but(int rank) {
  if (rank == MPI_PROC_NULL) return MPI_COMM_WORLD;
  MPI_Group world, others;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &rank, &others);
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, others, &result);
  return result;
}

/// Ends the program unless rank 0 has reported within `seconds` that the broadcast is complete.
void watch(int bytes, double seconds) {
  start_together();
  sleep_seconds(seconds);
  int done = 0;
  MPI_Iprobe(0, 0, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
  if (!done) {
    std::printf("%d cut\n", bytes);
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Seconds of one broadcast over `ranks`; rank 0 reports its end to the rank `watching`, if there
/// is one.
double broadcast(void* buffer, int bytes, MPI_Comm ranks, int watching) {
  const double start = start_together();
  MPI_Bcast(buffer, bytes, MPI_BYTE, 0, ranks);
  const double mine = MPI_Wtime() - start;
  double longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, ranks);
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  if (rank == 0) MPI_Send(nullptr, 0, MPI_BYTE, watching, 0, MPI_COMM_WORLD);
  return longest;
}

/// The seconds of the second of two broadcasts.
double second_broadcast(int bytes, MPI_Comm ranks, int watching) {
  void* buffer = SMPI_SHARED_MALLOC(static_cast<std::size_t>(bytes));
  broadcast(buffer, bytes, ranks, watching);
  const double seconds = broadcast(buffer, bytes, ranks, watching);
  SMPI_SHARED_FREE(buffer);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2) return 2;
  const int watching = std::strcmp(argv[1], "watched") == 0 ? size - 1 : MPI_PROC_NULL;
  const MPI_Comm ranks = all_but(watching);
  double microseconds = 0;  // of the previous size
  for (int i = 2; i < argc; ++i) {
    int bytes = 0;
    double limit = 0;
    if (std::sscanf(argv[i], "%d:%lf", &bytes, &limit) != 2) return 2;
    const bool slow = microseconds > limit;
    if (!slow && rank != watching) microseconds = second_broadcast(bytes, ranks, watching) * 1e6;
    if (!slow && rank == watching) {
      for (int time = 0; time < 2; ++time) watch(bytes, limit * 1e-6 + 0.001);
    }
    MPI_Allreduce(MPI_IN_PLACE, &microseconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank != 0) continue;
    slow ? std::printf("%d slow\n", bytes) : std::printf("%d %.6f\n", bytes, microseconds);
    std::fflush(stdout);
  }
  MPI_Finalize();
}
