/* Wrong collectives, each by its name: record.py has what is found.

     wrong NAME...   executes them one after another */

#define _DEFAULT_SOURCE /* usleep */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedcc/record.h>

enum { block = 4 };

static int P, rank;
static int64_t in[64 * block], out[64 * block], temporary[64 * block];

static void begin(const char* collective, int count, int root) {
  schedcc_record_begin(collective, in, out, count, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
}

static void send(const int64_t* data, int count, int to) {
  MPI_Send(data, count, MPI_INT64_T, to, 5, MPI_COMM_WORLD);
}

static void receive(int64_t* data, int count, int from) {
  MPI_Recv(data, count, MPI_INT64_T, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void add(int64_t* to, const int64_t* from) {
  for (int i = 0; i < block; ++i) to[i] += from[i];
}

/* A chain that always begins at rank 0, whatever the root is. */
static void root(void) {
  begin("broadcast", block, 1);
  if (rank > 0) receive(out, block, rank - 1);
  if (rank < P - 1) send(out, block, rank + 1);
  schedcc_record_end();
}

/* Rank 0 adds the contribution of rank 1 twice. */
static void twice(void) {
  begin("reduce", block, 0);
  memcpy(out, in, block * sizeof *in);
  for (int r = 1; rank == 0 && r < P; ++r) {
    receive(temporary, block, r);
    add(out, temporary);
    if (r == 1) receive(temporary, block, r), add(out, temporary);
  }
  if (rank > 0) send(in, block, 0);
  if (rank == 1) send(in, block, 0);
  schedcc_record_end();
}

/* Rank 0 receives all, and forgets to add the last. */
static void forgotten(void) {
  begin("reduce", block, 0);
  memcpy(out, in, block * sizeof *in);
  for (int r = 1; rank == 0 && r < P; ++r) {
    receive(temporary, block, r);
    if (r < P - 1) add(out, temporary);
  }
  if (rank > 0) send(in, block, 0);
  schedcc_record_end();
}

/* All blocks come to all ranks, and rank 1 has two of them in each other's places. */
static void misplaced(void) {
  begin("allgather", block, 0);
  memcpy(out + rank * block, in, block * sizeof *in);
  for (int t = 0; t < P - 1; ++t) {
    const int s = (rank - t + P) % P, r = (rank - t - 1 + 2 * P) % P;
    MPI_Sendrecv(out + s * block, block, MPI_INT64_T, (rank + 1) % P, 0, out + r * block, block,
                 MPI_INT64_T, (rank + P - 1) % P, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    memcpy(temporary, out, block * sizeof *out);
    memcpy(out, out + 2 * block, block * sizeof *out);
    memcpy(out + 2 * block, temporary, block * sizeof *out);
  }
  schedcc_record_end();
}

/* Sums of different elements. */
static void shifted(void) {
  begin("reduce", block, 0);
  memcpy(out, in, block * sizeof *in);
  if (rank == 1) send(in, block, 0);
  if (rank == 0) {
    receive(temporary, block, 1);
    for (int i = 0; i < block; ++i) out[i] += temporary[(i + 1) % block];
  }
  schedcc_record_end();
}

/* Nobody writes the last element of rank 2. */
static void short_of_one(void) {
  begin("broadcast", block, 0);
  for (int r = 1; rank == 0 && r < P; ++r) send(out, r == 2 ? block - 1 : block, r);
  if (rank > 0) receive(out, block, 0);
  schedcc_record_end();
}

/* A message that nobody receives: allowed to be buffered, and no error of the data. */
static void unreceived(void) {
  begin("broadcast", block, 0);
  for (int r = 1; rank == 0 && r < P; ++r) send(out, block, r);
  if (rank > 0) receive(out, block, 0);
  if (rank == 1) MPI_Send(out, block, MPI_INT64_T, 2, 99, MPI_COMM_WORLD);
  schedcc_record_end();
  if (rank == 2) MPI_Recv(temporary, block, MPI_INT64_T, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Right, but ranks keep two values: what they pass on, and what they end with. */
static void two_values(void) {
  begin("exscan", block, 0);
  if (rank > 0) {
    receive(out, block, rank - 1);
    memcpy(temporary, out, block * sizeof *out);
    add(in, temporary);
  }
  if (rank < P - 1) send(in, block, rank + 1);
  schedcc_record_end();
}

/* Right, by a collective of the library. */
static void unrecorded(void) {
  begin("broadcast", block, 0);
  MPI_Bcast(out, block, MPI_INT64_T, 0, MPI_COMM_WORLD);
  schedcc_record_end();
}

/* Right, by puts under a lock that is taken within the collective. */
static void lock_within(void) {
  MPI_Win win;
  MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank > 0) usleep(50000);
  begin("broadcast", block, 0);
  MPI_Win_lock_all(0, win);
  for (int r = 1; rank == 0 && r < P; ++r)
    MPI_Put(out, block, MPI_INT64_T, r, 0, block, MPI_INT64_T, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  schedcc_record_end();
  MPI_Win_free(&win);
}

/* The same under a lock that is taken before, and all but the last word. */
static void lock_before(void) {
  MPI_Win win;
  MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  begin("broadcast", block, 0);
  for (int r = 1; rank == 0 && r < P; ++r)
    MPI_Put(out, block - 1, MPI_INT64_T, r, 0, block - 1, MPI_INT64_T, win);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  schedcc_record_end();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* Right, in an epoch that begins before ranks that come late begin the collective. */
static void early_put(void) {
  MPI_Win win;
  MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank > 0) usleep(50000);
  begin("broadcast", block, 0);
  for (int r = 1; rank == 0 && r < P; ++r)
    MPI_Put(out, block, MPI_INT64_T, r, 0, block, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  schedcc_record_end();
  MPI_Win_free(&win);
}

/* Ranks 0 and 1 put the data into the same place of rank 2. */
static void race(void) {
  MPI_Win win;
  MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  begin("broadcast", block, 0);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(out, block, MPI_INT64_T, 1, 0, block, MPI_INT64_T, win);
  if (rank == 0) MPI_Put(out, block, MPI_INT64_T, 3, 0, block, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  if (rank < 2) MPI_Put(out, block, MPI_INT64_T, 2, rank, block, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  schedcc_record_end();
  MPI_Win_free(&win);
}

/* Messages that are longer than its log may be. */
static void flood(void) {
  const int count = 1 << 22;
  int64_t* const data = calloc((size_t)count, sizeof *data);
  schedcc_record_begin("broadcast", NULL, data, count, MPI_INT64_T, MPI_OP_NULL, 0, MPI_COMM_WORLD);
  for (int r = 1; rank == 0 && r < P; ++r) send(data, count, r);
  if (rank > 0) receive(data, count, 0);
  schedcc_record_end();
  free(data);
}

/* Rank 1 does not take part. */
static void absent(void) {
  if (rank == 1) return;
  begin("broadcast", block, 0);
  schedcc_record_end();
}

/* Every rank waits for the one before it. */
static void deadlock(void) {
  begin("allgather", block, 0);
  receive(out, block, (rank + P - 1) % P);
  send(in, block, (rank + 1) % P);
  schedcc_record_end();
}

/* Rank 0 forgets rank 2, which polls. */
static void missing(void) {
  MPI_Request request;
  begin("broadcast", block, 0);
  for (int r = 1; rank == 0 && r < P; ++r)
    if (r != 2) send(out, block, r);
  if (rank == 2) {
    MPI_Irecv(out, block, MPI_INT64_T, 0, 5, MPI_COMM_WORLD, &request);
    for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  } else if (rank > 0) {
    receive(out, block, 0);
  }
  schedcc_record_end();
}

static void truncated(void) {
  begin("broadcast", block, 0);
  if (rank == 0) send(out, block, 1);
  if (rank == 1) receive(out, block - 1, 0);
  schedcc_record_end();
}

static void crash(void) {
  begin("broadcast", block, 0);
  if (rank == 1) *(volatile int*)NULL = 1;
  if (rank > 0) receive(out, block, 0);
  schedcc_record_end();
}

static void leaves(void) {
  begin("broadcast", block, 0);
  if (rank == 1) exit(7);
  if (rank > 0) receive(out, block, 0);
  schedcc_record_end();
}

/* Its own test of the result fails, as the data are the recorder's. */
static void own_test(void) {
  begin("reduce", block, 0);
  memcpy(out, in, block * sizeof *in);
  for (int r = 1; rank == 0 && r < P; ++r) receive(temporary, block, r), add(out, temporary);
  if (rank > 0) send(in, block, 0);
  schedcc_record_end();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && out[0] != P) MPI_Abort(MPI_COMM_WORLD, 4);
}

static void nothing(void) {}

static void type(void) {
  static float data[block];
  schedcc_record_begin("reduce", data, data, block, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void operation(void) {
  schedcc_record_begin("reduce", in, out, block, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
}

static void words(void) {
  static char data[3];
  schedcc_record_begin("broadcast", NULL, data, 3, MPI_CHAR, MPI_OP_NULL, 0, MPI_COMM_WORLD);
}

static void collective(void) { begin("barrier", block, 0); }

static void nested(void) {
  begin("broadcast", block, 0);
  begin("broadcast", block, 0);
}

static void differing(void) {
  begin("broadcast", block + rank, 0);
  schedcc_record_end();
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {{"root", root},
           {"twice", twice},
           {"forgotten", forgotten},
           {"misplaced", misplaced},
           {"shifted", shifted},
           {"short", short_of_one},
           {"unreceived", unreceived},
           {"two-values", two_values},
           {"unrecorded", unrecorded},
           {"lock-within", lock_within},
           {"lock-before", lock_before},
           {"early-put", early_put},
           {"race", race},
           {"flood", flood},
           {"absent", absent},
           {"deadlock", deadlock},
           {"missing", missing},
           {"truncated", truncated},
           {"crash", crash},
           {"leaves", leaves},
           {"own-test", own_test},
           {"nothing", nothing},
           {"type", type},
           {"operation", operation},
           {"words", words},
           {"collective", collective},
           {"nested", nested},
           {"differing", differing}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    for (size_t j = 0; j < sizeof all / sizeof *all; ++j)
      if (strcmp(argv[i], all[j].name) == 0) all[j].run();
  }
  MPI_Finalize();
  return 0;
}
