/* A ring allreduce of sums by messages of its own, marked for the recorder (docs/recording.md). */

#include <mpi.h>
#include <schedcc/record.h>
#include <stdint.h>
#include <stdlib.h>

enum { block = 1024 }; /* elements of each rank's part */

/* Overwrites each rank's data by the sum over all ranks. */
static void ring_allreduce(int64_t* data, MPI_Comm comm) {
  int ranks, rank;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int64_t* const received = malloc(block * sizeof *received);
  for (int t = 0; t < 2 * (ranks - 1); ++t) {
    const int64_t* const out = data + (rank - t + 2 * ranks) % ranks * block;
    int64_t* const in = data + (rank - t - 1 + 2 * ranks) % ranks * block;
    MPI_Sendrecv(out, block, MPI_INT64_T, right, 0, received, block, MPI_INT64_T, left, 0, comm,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i) in[i] = t < ranks - 1 ? in[i] + received[i] : received[i];
  }
  free(received);
}

int main(int argc, char** argv) {
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = block * ranks;
  int64_t* const data = calloc((size_t)count, sizeof *data);
  schedcc_record_begin("allreduce", MPI_IN_PLACE, data, count, MPI_INT64_T, MPI_SUM, 0,
                       MPI_COMM_WORLD);
  ring_allreduce(data, MPI_COMM_WORLD);
  schedcc_record_end();
  free(data);
  MPI_Finalize();
  return 0;
}
