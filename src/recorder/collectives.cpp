// Functions whose messages are not seen: the library's own collectives, whose messages are
// internal, and one-sided communication of other kinds. If a program calls them while it is
// recorded, what they bring is missing, and the recording says so.

#include "recorder/recorder.hpp"

using schedcc::recorder::Call;
using schedcc::recorder::recorder;

#define UNRECORDED(X, parameters, arguments)           \
  SCHEDCC_MPI(X) parameters {                          \
    const Call call("MPI_" #X);                        \
    if (call.seen()) recorder().unrecorded("MPI_" #X); \
    return SCHEDCC_LIBRARY(X) arguments;               \
  }

// They bring no data.
SCHEDCC_MPI(Barrier)(MPI_Comm comm) {
  const Call call("MPI_Barrier");
  return SCHEDCC_LIBRARY(Barrier)(comm);
}

UNRECORDED(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
UNRECORDED(Reduce, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
           (s, b, n, t, op, root, c))
UNRECORDED(Allreduce, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
UNRECORDED(Scan, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
UNRECORDED(Exscan, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
UNRECORDED(Reduce_scatter,
           (const void* s, void* b, const int* n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
UNRECORDED(Reduce_scatter_block,
           (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
UNRECORDED(Gather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c),
           (s, m, u, b, n, t, root, c))
UNRECORDED(Scatter,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c),
           (s, m, u, b, n, t, root, c))
UNRECORDED(Allgather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, t, c))
UNRECORDED(Alltoall,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, t, c))
UNRECORDED(Gatherv,
           (const void* s, int m, MPI_Datatype u, void* b, const int* n, const int* at,
            MPI_Datatype t, int root, MPI_Comm c),
           (s, m, u, b, n, at, t, root, c))
UNRECORDED(Scatterv,
           (const void* s, const int* m, const int* at, MPI_Datatype u, void* b, int n,
            MPI_Datatype t, int root, MPI_Comm c),
           (s, m, at, u, b, n, t, root, c))
UNRECORDED(Allgatherv,
           (const void* s, int m, MPI_Datatype u, void* b, const int* n, const int* at,
            MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, at, t, c))
UNRECORDED(Alltoallv,
           (const void* s, const int* m, const int* from, MPI_Datatype u, void* b, const int* n,
            const int* at, MPI_Datatype t, MPI_Comm c),
           (s, m, from, u, b, n, at, t, c))
UNRECORDED(Ibcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* r),
           (b, n, t, root, c, r))
UNRECORDED(Iallreduce,
           (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r),
           (s, b, n, t, op, c, r))
UNRECORDED(Iallgather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request* r),
           (s, m, u, b, n, t, c, r))
UNRECORDED(Ialltoall,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request* r),
           (s, m, u, b, n, t, c, r))
UNRECORDED(Win_lock, (int type, int rank, int assertion, MPI_Win win), (type, rank, assertion, win))
UNRECORDED(Win_lock_all, (int assertion, MPI_Win win), (assertion, win))
UNRECORDED(Get_accumulate,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int target,
            MPI_Aint at, int k, MPI_Datatype v, MPI_Op op, MPI_Win win),
           (s, m, u, b, n, t, target, at, k, v, op, win))
UNRECORDED(Fetch_and_op,
           (const void* s, void* b, MPI_Datatype t, int target, MPI_Aint at, MPI_Op op,
            MPI_Win win),
           (s, b, t, target, at, op, win))
UNRECORDED(Rput,
           (const void* s, int m, MPI_Datatype u, int target, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win win, MPI_Request* r),
           (s, m, u, target, at, n, t, win, r))
UNRECORDED(Rget,
           (void* b, int m, MPI_Datatype u, int target, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win win, MPI_Request* r),
           (b, m, u, target, at, n, t, win, r))
UNRECORDED(Raccumulate,
           (const void* s, int m, MPI_Datatype u, int target, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Op op, MPI_Win win, MPI_Request* r),
           (s, m, u, target, at, n, t, op, win, r))
UNRECORDED(Win_allocate_shared,
           (MPI_Aint size, int unit, MPI_Info info, MPI_Comm c, void* base, MPI_Win* win),
           (size, unit, info, c, base, win))
