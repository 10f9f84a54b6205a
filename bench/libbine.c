/* Executes routines of libbine (https://github.com/HLC-Lab/pico), each marked for the recorder.

     libbine ROUTINE...   8 integers in a message's part or a block for each rank

   Of a routine that returns an error, rank 0 prints "refused ROUTINE ERROR". */

#include <libbine.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedcc/record.h>

enum { block = 8 };

static int64_t *in, *out;
static int P, rank;

#define ROUTINES(R)                                                                               \
  R(allreduce, recursivedoubling) R(allreduce, ring) R(allreduce, rabenseifner)                   \
  R(allreduce, bine_lat) R(allreduce, bine_bdw_static) R(allreduce, bine_bdw_remap)               \
  R(allreduce, bine_bdw_remap_segmented) R(allreduce, bine_block_by_block_any_even)               \
  R(allgather, k_bruck) R(allgather, recursivedoubling) R(allgather, ring) R(allgather, sparbit)  \
  R(allgather, bine_block_by_block) R(allgather, bine_block_by_block_any_even)                    \
  R(allgather, bine_permute_static) R(allgather, bine_send_static)                                \
  R(allgather, bine_permute_remap) R(allgather, bine_send_remap) R(allgather, bine_2_blocks)      \
  R(allgather, bine_2_blocks_dtype) R(alltoall, bine) R(bcast, scatter_allgather)                 \
  R(bcast, bine_lat) R(bcast, bine_lat_reversed) R(bcast, bine_lat_new) R(bcast, bine_lat_i_new)  \
  R(bcast, bine_bdw_static) R(bcast, bine_bdw_remap) R(gather, bine) R(reduce, bine_lat)          \
  R(reduce, bine_bdw) R(reduce_scatter, recursivehalving)                                         \
  R(reduce_scatter, recursive_distance_doubling) R(reduce_scatter, ring)                          \
  R(reduce_scatter, butterfly) R(reduce_scatter, bine_static) R(reduce_scatter, bine_send_remap)  \
  R(reduce_scatter, bine_permute_remap) R(reduce_scatter, bine_block_by_block)                    \
  R(reduce_scatter, bine_block_by_block_any_even) R(scatter, bine)

static void begin(const char* collective, void* send, void* receive, int count) {
  schedcc_record_begin(collective, send, receive, count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* Each kind of routine, with the arguments of its collective. */
#define COMM MPI_COMM_WORLD
#define MARKED(name, send, receive, count, call) (begin(name, send, receive, count), call)
#define run_allreduce(f)                        \
  MARKED("allreduce", in, out, P * block, f(in, out, P * block, MPI_INT64_T, MPI_SUM, COMM))
#define run_allgather(f)                \
  MARKED("allgather", in, out, block, f(in, block, MPI_INT64_T, out, block, MPI_INT64_T, COMM))
#define run_alltoall(f)                \
  MARKED("alltoall", in, out, block, f(in, block, MPI_INT64_T, out, block, MPI_INT64_T, COMM))
#define run_bcast(f) \
  MARKED("broadcast", out, out, P * block, f(out, P * block, MPI_INT64_T, 0, COMM))
#define run_gather(f)               \
  MARKED("gather", in, out, block, f(in, block, MPI_INT64_T, out, block, MPI_INT64_T, 0, COMM))
#define run_scatter(f)               \
  MARKED("scatter", in, out, block, f(in, block, MPI_INT64_T, out, block, MPI_INT64_T, 0, COMM))
#define run_reduce(f) \
  MARKED("reduce", in, out, P * block, f(in, out, P * block, MPI_INT64_T, MPI_SUM, 0, COMM))
#define run_reduce_scatter(f) \
  MARKED("reduce-scatter", in, out, block, f(in, out, counts, MPI_INT64_T, MPI_SUM, COMM))

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(COMM, &P);
  MPI_Comm_rank(COMM, &rank);
  int* const counts = malloc((size_t)P * sizeof *counts);
  for (int r = 0; r < P; ++r) counts[r] = block;
  in = calloc((size_t)P * block, sizeof *in);
  out = calloc((size_t)P * block, sizeof *out);
  for (int i = 1; i < argc; ++i) {
    int error = -1;
#define RUN(kind, name) \
  if (strcmp(argv[i], #kind "_" #name) == 0) error = run_##kind(kind##_##name);
    ROUTINES(RUN)
    schedcc_record_end();
    if (error != MPI_SUCCESS && rank == 0) printf("refused %s %d\n", argv[i], error);
    fflush(stdout);
    MPI_Barrier(COMM);
  }
  MPI_Finalize();
  return 0;
}
