/* A ring allreduce of 1 MiB, timed: the median time of the slowest rank, in microseconds.

     record REPETITIONS */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <schedcc/record.h>

enum { bytes = 1 << 20 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  int P, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 1;
  const int block = bytes / 8 / P, n = block * P, right = (rank + 1) % P, left = (rank + P - 1) % P;
  int64_t* data = calloc((size_t)n, sizeof *data);
  int64_t* part = calloc((size_t)block, sizeof *part);
  double* times = malloc((size_t)repetitions * sizeof *times);
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    schedcc_record_begin("allreduce", MPI_IN_PLACE, data, n, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int t = 0; t < 2 * (P - 1); ++t) {
      const int s = (rank - t + 2 * P) % P, r = (rank - t - 1 + 2 * P) % P;
      MPI_Sendrecv(data + (size_t)s * block, block, MPI_INT64_T, right, 0, part, block, MPI_INT64_T,
                   left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int k = 0; k < block; ++k)
        data[(size_t)r * block + k] = t < P - 1 ? data[(size_t)r * block + k] + part[k] : part[k];
    }
    schedcc_record_end();
    const double own = MPI_Wtime() - start;
    MPI_Reduce(&own, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    qsort(times, (size_t)repetitions, sizeof *times, compare);
    printf("median %.1f\n", times[repetitions / 2] * 1e6);
  }
  MPI_Finalize();
  return 0;
}
