/* Collectives over messages, with each construct of MPI that the recorder knows. Each execution is
   named by a line "NAME" of rank 0, in order. record.py has the schedules that they are. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedcc/record.h>

enum { block = 6 }; /* elements of a block */

#ifdef SMPI_H /* which has neither matched probes nor MPI_Win_test */
enum { probes = 2, one_sided_rings = 3 };
#else
enum { probes = 4, one_sided_rings = 4 };
#endif

static int P, rank;
static int64_t in[64 * block], out[64 * block], temporary[64 * block];

static void name(const char* text) {
  if (rank == 0) printf("%s\n", text);
}

static void begin(const char* collective, int root) {
  schedcc_record_begin(collective, in, out, block, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
}

static int right(void) { return (rank + 1) % P; }
static int left(void) { return (rank + P - 1) % P; }
static int64_t* at(int b) { return out + (b + P) % P * block; }

/* Completes two requests, a receive and a send, in one of MPI's ways. */
static void complete(int way, MPI_Request* requests) {
  int flag = 0, index = 0, done = 0, indices[2];
  switch (way) {
    case 0: MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_Wait(&requests[1], MPI_STATUS_IGNORE); break;
    case 1: MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); break;
    case 2:
      for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      break;
    case 3:
      for (int left_over = 2; left_over > 0; left_over -= done)
        MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
      break;
    case 4:
      for (int i = 0; i < 2; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
      break;
    case 5:
      while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
      break;
    case 6:
      for (int i = 0; i < 2; ++i)
        for (flag = 0; !flag;) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
      break;
    case 7:
      for (int left_over = 2; left_over > 0;) {
        MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
        if (done > 0) left_over -= done;
      }
      break;
  }
}

/* An allgather around the ring: how its messages are sent and received is a parameter. */
typedef void (*Exchange)(int64_t* send, int64_t* receive, int variant);

static void ring(const char* text, Exchange exchange, int variant) {
  name(text);
  begin("allgather", 0);
  memcpy(at(rank), in, block * sizeof *in);
  for (int t = 0; t < P - 1; ++t) exchange(at(rank - t), at(rank - t - 1), variant);
  schedcc_record_end();
}

static void sendrecv(int64_t* send, int64_t* receive, int variant) {
  MPI_Status status;
  if (variant == 0) {
    MPI_Sendrecv(send, block, MPI_INT64_T, right(), 3, receive, block, MPI_INT64_T, left(), 3,
                 MPI_COMM_WORLD, &status);
  } else {
    memcpy(temporary, send, block * sizeof *send);
    MPI_Sendrecv_replace(temporary, block, MPI_INT64_T, right(), 3, left(), MPI_ANY_TAG,
                         MPI_COMM_WORLD, &status);
    memcpy(receive, temporary, block * sizeof *send);
  }
}

static void nonblocking(int64_t* send, int64_t* receive, int way) {
  MPI_Request requests[2];
  MPI_Irecv(receive, block, MPI_INT64_T, left(), 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(send, block, MPI_INT64_T, right(), 0, MPI_COMM_WORLD, &requests[1]);
  complete(way, requests);
}

static void modes(int64_t* send, int64_t* receive, int mode) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(receive, block, MPI_INT64_T, left(), 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD); /* for ready sends */
  switch (mode) {
    case 0: MPI_Send(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD); break;
    case 1: MPI_Ssend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD); break;
    case 2: MPI_Bsend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD); break;
    case 3: MPI_Rsend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD); break;
    case 4: MPI_Issend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD, &requests[1]); break;
    case 5: MPI_Ibsend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD, &requests[1]); break;
    case 6: MPI_Irsend(send, block, MPI_INT64_T, right(), 1, MPI_COMM_WORLD, &requests[1]); break;
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static MPI_Request persistent[2];
static int64_t persistent_in[block], persistent_out[block];

static void make_persistent(int mode) {
  MPI_Recv_init(persistent_in, block, MPI_INT64_T, left(), 2, MPI_COMM_WORLD, &persistent[0]);
  (mode == 1   ? MPI_Ssend_init
   : mode == 2 ? MPI_Bsend_init
   : mode == 3 ? MPI_Rsend_init
               : MPI_Send_init)(persistent_out, block, MPI_INT64_T, right(), 2, MPI_COMM_WORLD,
                                &persistent[1]);
}

static void restarted(int64_t* send, int64_t* receive, int mode) {
  memcpy(persistent_out, send, sizeof persistent_out);
  if (mode == 0) {
    MPI_Startall(2, persistent);
  } else {
    MPI_Start(&persistent[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&persistent[1]);
  }
  complete(mode % 2, persistent);
  memcpy(receive, persistent_in, sizeof persistent_in);
}

static void probed(int64_t* send, int64_t* receive, int variant) {
  MPI_Request sent;
  MPI_Status status;
  MPI_Message message;
  int flag = 0;
  MPI_Isend(send, block, MPI_INT64_T, right(), variant, MPI_COMM_WORLD, &sent);
  switch (variant) {
    case 0:
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Recv(receive, block, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      break;
    case 1:
      while (!flag) MPI_Iprobe(left(), variant, MPI_COMM_WORLD, &flag, &status);
      MPI_Recv(receive, block, MPI_INT64_T, MPI_ANY_SOURCE, variant, MPI_COMM_WORLD, &status);
      break;
    case 2:
      MPI_Mprobe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(receive, block, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
      break;
    case 3: {
      MPI_Request received;
      while (!flag) MPI_Improbe(left(), variant, MPI_COMM_WORLD, &flag, &message, &status);
      MPI_Imrecv(receive, block, MPI_INT64_T, &message, &received);
      MPI_Wait(&received, MPI_STATUS_IGNORE);
    }
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* One-sided: the window is the result. */
static MPI_Win window;

static void one_sided(int64_t* send, int64_t* receive, int variant) {
  const MPI_Aint send_at = (send - out) / block, receive_at = (receive - out) / block;
  MPI_Group world, from, to;
  const int l = left(), r = right();
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, variant == 3 ? &r : &l, &from);
  MPI_Group_incl(world, 1, variant == 3 ? &l : &r, &to);
  switch (variant) {
    case 0:
      MPI_Put(send, block, MPI_INT64_T, r, send_at * block, block, MPI_INT64_T, window);
      MPI_Win_fence(0, window);
      break;
    case 1:
      MPI_Get(receive, block, MPI_INT64_T, l, receive_at * block, block, MPI_INT64_T, window);
      MPI_Win_fence(0, window);
      break;
    case 2:
      MPI_Win_post(from, 0, window);
      MPI_Win_start(to, 0, window);
      MPI_Put(send, block, MPI_INT64_T, r, send_at * block, block, MPI_INT64_T, window);
      MPI_Win_complete(window);
      MPI_Win_wait(window);
      break;
    case 3:
      MPI_Win_post(from, 0, window);
      MPI_Win_start(to, 0, window);
      MPI_Get(receive, block, MPI_INT64_T, l, receive_at * block, block, MPI_INT64_T, window);
      MPI_Win_complete(window);
      for (int flag = 0; !flag;) MPI_Win_test(window, &flag);
      break;
  }
  MPI_Group_free(&world);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
}

static void one_sided_ring(const char* text, int variant) {
  name(text);
  begin("allgather", 0);
  memcpy(at(rank), in, block * sizeof *in);
  MPI_Barrier(MPI_COMM_WORLD);
  if (variant < 2) MPI_Win_fence(0, window);
  for (int t = 0; t < P - 1; ++t) one_sided(at(rank - t), at(rank - t - 1), variant);
  schedcc_record_end();
}

static void accumulate(void) {
  MPI_Win sum;
  name("accumulate");
  begin("reduce", 1);
  memcpy(out, in, block * sizeof *in);
  MPI_Win_create(out, block * sizeof *out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &sum);
  MPI_Win_fence(0, sum);
  if (rank != 1) MPI_Accumulate(in, block, MPI_INT64_T, 1, 0, block, MPI_INT64_T, MPI_SUM, sum);
  MPI_Win_fence(0, sum);
  MPI_Win_free(&sum);
  schedcc_record_end();
}

/* The ranks in reverse order, on a communicator of their own. */
static void reversed(void) {
  MPI_Comm comm, dup;
  int own;
  name("sub-communicator");
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &comm);
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_dup(comm, &dup);
  MPI_Comm_rank(comm, &own);
  schedcc_record_begin("broadcast", NULL, out, block, MPI_INT64_T, MPI_OP_NULL, 1, comm);
  /* A chain from rank 1 of the communicator on, over two communicators. */
  if (own != 1) {
    MPI_Recv(out, block, MPI_INT64_T, (own + P - 2) % (P - 1), 0, own % 2 ? comm : dup,
             MPI_STATUS_IGNORE);
  }
  if (own != 0) {
    const int next = (own + 1) % (P - 1);
    MPI_Send(out, block, MPI_INT64_T, next, 0, next % 2 ? comm : dup);
  }
  schedcc_record_end();
  MPI_Comm_free(&dup);
  MPI_Comm_free(&comm);
}

/* A binomial tree that sends the columns of a matrix. */
static void columns(void) {
  double matrix[block][3];
  MPI_Datatype column, one;
  name("derived-type");
  MPI_Type_vector(block, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &one);
  MPI_Type_commit(&one);
  schedcc_record_begin("broadcast", NULL, matrix, 3, one, MPI_OP_NULL, 0, MPI_COMM_WORLD);
  int mask = 1;
  while (mask < P && !(rank & mask)) mask *= 2;
  if (rank != 0) MPI_Recv(matrix, 3, one, rank - mask, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (mask /= 2; mask > 0; mask /= 2)
    if (rank + mask < P) MPI_Send(matrix, 3, one, rank + mask, 0, MPI_COMM_WORLD);
  schedcc_record_end();
  MPI_Type_free(&one);
  MPI_Type_free(&column);
}

/* Reductions: around a ring, by loops of the program, in three types. */
#define RING_ALLREDUCE(function, type, mpi_type)                                                 \
  static void function(const char* text) {                                                       \
    type data[64 * block], part[block];                                                          \
    name(text);                                                                                  \
    schedcc_record_begin("allreduce", MPI_IN_PLACE, data, P * block, mpi_type, MPI_SUM, 0,        \
                         MPI_COMM_WORLD);                                                        \
    for (int t = 0; t < 2 * (P - 1); ++t) {                                                      \
      const int s = (rank - t + 2 * P) % P, r = (rank - t - 1 + 2 * P) % P;                      \
      MPI_Sendrecv(data + s * block, block, mpi_type, right(), 0, part, block, mpi_type, left(), \
                   0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                        \
      for (int i = 0; i < block; ++i)                                                            \
        data[r * block + i] = t < P - 1 ? data[r * block + i] + part[i] : part[i];               \
    }                                                                                            \
    schedcc_record_end();                                                                        \
  }
RING_ALLREDUCE(ring_int64, uint64_t, MPI_UINT64_T)
RING_ALLREDUCE(ring_double, double, MPI_DOUBLE)
RING_ALLREDUCE(ring_int32, uint32_t, MPI_UINT32_T)

/* Ranks beyond a power of two hand their data to their neighbours first. */
static void doubling(void) {
  int power = 1;
  while (2 * power <= P) power *= 2;
  name("reduce_local");
  begin("allreduce", 0);
  memcpy(out, in, block * sizeof *in);
  if (rank >= power) {
    MPI_Send(out, block, MPI_INT64_T, rank - power, 0, MPI_COMM_WORLD);
    MPI_Recv(out, block, MPI_INT64_T, rank - power, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    if (rank + power < P) {
      MPI_Recv(temporary, block, MPI_INT64_T, rank + power, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Reduce_local(temporary, out, block, MPI_INT64_T, MPI_SUM);
    }
    for (int mask = 1; mask < power; mask *= 2) {
      MPI_Sendrecv(out, block, MPI_INT64_T, rank ^ mask, 0, temporary, block, MPI_INT64_T,
                   rank ^ mask, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Reduce_local(temporary, out, block, MPI_INT64_T, MPI_SUM);
    }
    if (rank + power < P) MPI_Send(out, block, MPI_INT64_T, rank + power, 0, MPI_COMM_WORLD);
  }
  schedcc_record_end();
}

/* One message to or from each rank, all at once or one after another. */
static void linear(const char* collective, int root) {
  MPI_Request requests[128];
  int n = 0;
  name(collective);
  begin(collective, root);
  if (strcmp(collective, "gather") == 0) {
    if (rank != root) MPI_Send(in, block, MPI_INT64_T, root, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < P; ++r) {
      if (r != root) MPI_Irecv(at(r), block, MPI_INT64_T, r, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    if (rank == root) memcpy(at(root), in, block * sizeof *in);
  } else if (strcmp(collective, "scatter") == 0) {
    for (int r = 0; rank == root && r < P; ++r)
      if (r != root) MPI_Send(in + r * block, block, MPI_INT64_T, r, 0, MPI_COMM_WORLD);
    if (rank == root) memcpy(out, in + root * block, block * sizeof *in);
    if (rank != root)
      MPI_Recv(out, block, MPI_INT64_T, root, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else { /* alltoall */
    for (int t = 1; t < P; ++t) {
      const int to = (rank + t) % P, from = (rank - t + P) % P;
      MPI_Irecv(at(from), block, MPI_INT64_T, from, 0, MPI_COMM_WORLD, &requests[n++]);
      MPI_Isend(in + to * block, block, MPI_INT64_T, to, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    memcpy(at(rank), in + rank * block, block * sizeof *in);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  schedcc_record_end();
}

/* From rank to rank, by blocking calls. */
static void chain(const char* collective) {
  name(collective);
  begin(collective, P - 1);
  memcpy(out, in, block * sizeof *in);
  if (rank > 0) {
    MPI_Recv(temporary, block, MPI_INT64_T, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i) out[i] += temporary[i];
  }
  if (rank < P - 1) MPI_Send(out, block, MPI_INT64_T, rank + 1, 0, MPI_COMM_WORLD);
  schedcc_record_end();
}

static void ring_reduce_scatter(void) {
  name("reduce-scatter");
  begin("reduce-scatter", 0);
  for (int t = 0; t < P - 1; ++t) {
    const int s = (rank - t - 1 + P) % P, r = (rank - t - 2 + 2 * P) % P;
    MPI_Sendrecv(in + s * block, block, MPI_INT64_T, right(), 0, temporary, block, MPI_INT64_T,
                 left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Reduce_local(temporary, in + r * block, block, MPI_INT64_T, MPI_SUM);
  }
  memcpy(out, in + rank * block, block * sizeof *in);
  schedcc_record_end();
}

int main(int argc, char** argv) {
  static char buffer[1 << 16];
  char text[40];
  int size = sizeof buffer;
  void* attached;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Buffer_attach(buffer, size);
  ring("sendrecv", sendrecv, 0);
  ring("sendrecv_replace", sendrecv, 1);
  for (int way = 0; way < 8; ++way) {
    snprintf(text, sizeof text, "completion-%d", way);
    ring(text, nonblocking, way);
  }
  for (int mode = 0; mode < 7; ++mode) {
    snprintf(text, sizeof text, "mode-%d", mode);
    ring(text, modes, mode);
  }
  for (int mode = 0; mode < 4; ++mode) {
    snprintf(text, sizeof text, "persistent-%d", mode);
    make_persistent(mode);
    ring(text, restarted, mode);
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
  }
  for (int variant = 0; variant < probes; ++variant) {
    snprintf(text, sizeof text, "probe-%d", variant);
    ring(text, probed, variant);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int variant = 0; variant < one_sided_rings; ++variant) {
    snprintf(text, sizeof text, "one-sided-%d", variant);
    one_sided_ring(text, variant);
  }
  MPI_Win_free(&window);
  accumulate();
  reversed();
  columns();
  ring_int64("ring-int64");
  ring_double("ring-double");
  ring_int32("ring-int32");
  doubling();
  linear("gather", 2);
  linear("scatter", 1);
  linear("alltoall", 0);
  chain("reduce");
  chain("scan");
  ring_reduce_scatter();
  MPI_Buffer_detach(&attached, &size);
  MPI_Finalize();
  return 0;
}
