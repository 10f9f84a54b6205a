// The library's own collectives, whose messages are internal, and one-sided communication of kinds
// that are not recorded. If a program calls these while it is recorded, the data that they carry
// are missing, and the recording says so. Under SMPI the messages of collectives are seen
// (smpi.cpp).

#include "recorder/recorder.hpp"

using schedcc::recorder::Call;
using schedcc::recorder::recorder;

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments have them.
#define UNRECORDED(X, parameters, arguments)           \
  SCHEDCC_MPI(X) parameters {                          \
    const Call call("MPI_" #X);                        \
    if (call.seen()) recorder().unrecorded("MPI_" #X); \
    return SCHEDCC_LIBRARY(X) arguments;               \
  }

#ifdef SCHEDCC_SMPI
#define COLLECTIVE(X, parameters, arguments)                          \
  SCHEDCC_MPI(X) parameters {                                         \
    const Call call("MPI_" #X);                                       \
    const schedcc::recorder::CollectiveScope collective(call.seen()); \
    return SCHEDCC_LIBRARY(X) arguments;                              \
  }
#else
#define COLLECTIVE UNRECORDED
#endif
// NOLINTEND(bugprone-macro-parentheses)

// They carry no data.
SCHEDCC_MPI(Barrier)(MPI_Comm comm) {
  const Call call("MPI_Barrier");
  return SCHEDCC_LIBRARY(Barrier)(comm);
}

COLLECTIVE(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
COLLECTIVE(Reduce, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
           (s, b, n, t, op, root, c))
COLLECTIVE(Allreduce, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
COLLECTIVE(Scan, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
COLLECTIVE(Exscan, (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
COLLECTIVE(Reduce_scatter,
           (const void* s, void* b, const int* n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
COLLECTIVE(Reduce_scatter_block,
           (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (s, b, n, t, op, c))
COLLECTIVE(Gather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c),
           (s, m, u, b, n, t, root, c))
COLLECTIVE(Scatter,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c),
           (s, m, u, b, n, t, root, c))
COLLECTIVE(Allgather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, t, c))
COLLECTIVE(Alltoall,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, t, c))
COLLECTIVE(Gatherv,
           (const void* s, int m, MPI_Datatype u, void* b, const int* n, const int* at,
            MPI_Datatype t, int root, MPI_Comm c),
           (s, m, u, b, n, at, t, root, c))
COLLECTIVE(Scatterv,
           (const void* s, const int* m, const int* at, MPI_Datatype u, void* b, int n,
            MPI_Datatype t, int root, MPI_Comm c),
           (s, m, at, u, b, n, t, root, c))
COLLECTIVE(Allgatherv,
           (const void* s, int m, MPI_Datatype u, void* b, const int* n, const int* at,
            MPI_Datatype t, MPI_Comm c),
           (s, m, u, b, n, at, t, c))
COLLECTIVE(Alltoallv,
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
UNRECORDED(Ireduce,
           (const void* s, void* b, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c,
            MPI_Request* r),
           (s, b, n, t, op, root, c, r))
UNRECORDED(Igather,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c, MPI_Request* r),
           (s, m, u, b, n, t, root, c, r))
UNRECORDED(Iscatter,
           (const void* s, int m, MPI_Datatype u, void* b, int n, MPI_Datatype t, int root,
            MPI_Comm c, MPI_Request* r),
           (s, m, u, b, n, t, root, c, r))
#ifndef SCHEDCC_SMPI  // whose arguments are not constant
UNRECORDED(Compare_and_swap,
           (const void* s, const void* compared, void* b, MPI_Datatype t, int target, MPI_Aint at,
            MPI_Win win),
           (s, compared, b, t, target, at, win))
#endif
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
