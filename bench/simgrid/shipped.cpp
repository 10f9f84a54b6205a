// Times MPI_Bcast on a simulated machine, for each size in bytes that the command line names, in
// ascending order:
//
//   smpirun -np P -platform X.xml --cfg=smpi/bcast:NAME shipped BYTES:LIMIT...
//
// One line for each: the bytes, and the simulated microseconds from the common start of all ranks
// until the last of them has everything; or "slow", where fewer bytes have already taken more than
// LIMIT microseconds. It is the second of two broadcasts that counts, since some algorithms make
// communicators in their first, for which the simulator may take a minute: so one program times
// all sizes. The payload is not looked at: SimGrid lets all ranks share one buffer, or large
// broadcasts among many ranks would not fit into memory.

#include <mpi.h>
#include <smpi/smpi.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

/// Lets all ranks begin at the same simulated time, which it returns.
double start_together() {
  double now = MPI_Wtime(), latest = 0;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double start = latest + 0.01;
  const long nanoseconds = std::lround((start - MPI_Wtime()) * 1e9);
  const timespec wait = {0, nanoseconds};
  nanosleep(&wait, nullptr);
  return start;
}

/// Seconds of one broadcast, at all ranks.
double broadcast(void* buffer, int bytes) {
  const double start = start_together();
  MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  const double mine = MPI_Wtime() - start;
  double longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

/// Of the second of two broadcasts.
double settled(int bytes) {
  void* buffer = SMPI_SHARED_MALLOC(static_cast<std::size_t>(bytes));
  broadcast(buffer, bytes);
  const double seconds = broadcast(buffer, bytes);
  SMPI_SHARED_FREE(buffer);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double microseconds = 0;  // of the size before
  for (int i = 1; i < argc; ++i) {
    int bytes = 0;
    double limit = 0;
    if (std::sscanf(argv[i], "%d:%lf", &bytes, &limit) != 2) return 2;
    const bool slow = microseconds > limit;
    if (!slow) microseconds = settled(bytes) * 1e6;
    if (rank != 0) continue;
    slow ? std::printf("%d slow\n", bytes) : std::printf("%d %.6f\n", bytes, microseconds);
    std::fflush(stdout);
  }
  MPI_Finalize();
}
