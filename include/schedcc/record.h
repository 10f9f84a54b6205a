#ifndef SCHEDCC_RECORD_H
#define SCHEDCC_RECORD_H

/* Marks the execution of a collective that a program implements with messages of its own, so that
   `schedcc record` writes its schedule (docs/recording.md). C99 and C++; for Fortran see record.f90.

     schedcc_record_begin("allreduce", in, out, count, MPI_INT64_T, MPI_SUM, 0, comm);
     my_allreduce(in, out, count, MPI_INT64_T, MPI_SUM, comm);
     schedcc_record_end();

   Both do nothing unless the program runs under `schedcc record`. The header needs no library
   (with a C library older than glibc 2.34: -ldl). */

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*schedcc_record_begin_function)(const char*, const void*, void*, int, MPI_Datatype,
                                              MPI_Op, int, MPI_Comm);
typedef void (*schedcc_record_end_function)(void);

/** A function of the recorder, if it is preloaded: its address is stored in `function`. */
static inline void schedcc_record_find(const char* name, void* function, size_t size) {
  void* const found = dlsym((void*)0 /* RTLD_DEFAULT */, name);
  memcpy(function, &found, size);
}

/** All ranks of `comm` call it before the collective, with the arguments of MPI's own function.

    The recorder then overwrites the data that the rank starts with by numbers that identify them,
    and the memory for the result by others. It waits for all ranks of `comm`.

    collective  broadcast, scatter, gather, allgather, alltoall, reduce, allreduce, reduce-scatter,
                scan or exscan
    sendbuf     what the rank starts with; MPI_IN_PLACE, or the same as recvbuf: in place
    recvbuf     where it has the result; of a broadcast the one buffer, and sendbuf is not used
    count       elements of the message, or of a block: the recvcount of MPI_Allgather, MPI_Gather,
                MPI_Alltoall and MPI_Reduce_scatter_block, the sendcount of MPI_Scatter
    datatype    any of which a block has whole words of 4 or 8 bytes; for reductions integers of
                these sizes, or double
    op          MPI_SUM; not used unless it is a reduction
    root        not used unless the collective has one */
static inline void schedcc_record_begin(const char* collective, const void* sendbuf, void* recvbuf,
                                        int count, MPI_Datatype datatype, MPI_Op op, int root,
                                        MPI_Comm comm) {
  schedcc_record_begin_function begin = NULL;
  schedcc_record_find("schedcc_recorder_begin", (void*)&begin, sizeof begin);
  if (begin) begin(collective, sendbuf, recvbuf, count, datatype, op, root, comm);
}

/** The same ranks call it after the collective: its result is in recvbuf. */
static inline void schedcc_record_end(void) {
  schedcc_record_end_function end = NULL;
  schedcc_record_find("schedcc_recorder_end", (void*)&end, sizeof end);
  if (end) end();
}

#ifdef __cplusplus
}
#endif

#endif
