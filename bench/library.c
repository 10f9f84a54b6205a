/* Executes a collective of the MPI library once, marked for the recorder, and once before that, as
   libraries make communicators in the first call.

     library COLLECTIVE COUNT   integers of 64 bits in a block, or in the message for each rank */

#include <mpi.h>
#include <schedcc/record.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int64_t *in, *out;
static int count, P;
static int* counts;

#define COMM MPI_COMM_WORLD
#define TYPE MPI_INT64_T

static void call(const char* collective) {
  const int is_reduce_scatter = strcmp(collective, "reduce-scatter") == 0;
  if (strcmp(collective, "broadcast") == 0) MPI_Bcast(out, count, TYPE, 0, COMM);
  if (strcmp(collective, "scatter") == 0) MPI_Scatter(in, count, TYPE, out, count, TYPE, 0, COMM);
  if (strcmp(collective, "gather") == 0) MPI_Gather(in, count, TYPE, out, count, TYPE, 0, COMM);
  if (strcmp(collective, "allgather") == 0) MPI_Allgather(in, count, TYPE, out, count, TYPE, COMM);
  if (strcmp(collective, "alltoall") == 0) MPI_Alltoall(in, count, TYPE, out, count, TYPE, COMM);
  if (strcmp(collective, "reduce") == 0) MPI_Reduce(in, out, count, TYPE, MPI_SUM, 0, COMM);
  if (strcmp(collective, "allreduce") == 0) MPI_Allreduce(in, out, count, TYPE, MPI_SUM, COMM);
  if (is_reduce_scatter) MPI_Reduce_scatter(in, out, counts, TYPE, MPI_SUM, COMM);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(COMM, &P);
  if (argc != 3) MPI_Abort(COMM, 2);
  const char* const collective = argv[1];
  const int block = atoi(argv[2]);
  counts = malloc((size_t)P * sizeof *counts);
  for (int r = 0; r < P; ++r) counts[r] = block;
  in = calloc((size_t)P * (size_t)block, sizeof *in);
  out = calloc((size_t)P * (size_t)block, sizeof *out);
  const int message = strcmp(collective, "broadcast") == 0 || strcmp(collective, "reduce") == 0 ||
                      strcmp(collective, "allreduce") == 0;
  count = message ? P * block : block;
  call(collective);
  schedcc_record_begin(collective, in, out, count, TYPE, MPI_SUM, 0, COMM);
  call(collective);
  schedcc_record_end();
  MPI_Finalize();
  return 0;
}
