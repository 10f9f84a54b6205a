// Times a collective of MPI on a simulated machine, for each size in bytes that the command line
// names, in ascending order:
//
//   smpirun -np (P + 1) ... --cfg=smpi/allreduce:NAME shipped allreduce watched BYTES:LIMIT...
//   smpirun -np P ... --cfg=smpi/allreduce:NAME shipped allreduce alone BYTES:LIMIT...
//
// BYTES is the size of the whole vector: the message of a broadcast, reduce or allreduce, the P
// blocks together elsewhere. Prints a line for each size: the bytes, and the simulated microseconds
// from the common start of P ranks until the last of them has returned; or "wrong" if a rank has
// another result than the collective's; or "slow" if a smaller size has already taken more than
// LIMIT microseconds. With `watched` an additional rank prints "cut" and ends the program if a size
// takes longer than its limit, since the simulation may take an hour. (Some algorithms fail if not
// all ranks of the program take part: they are run with `alone`.) The second of two calls is timed:
// in the first, some algorithms create communicators, which may take the simulator a minute. For
// the same reason one program times all sizes. Results are verified, unless the vectors of all
// ranks would take more than MOST_VERIFIED bytes: then SimGrid lets all ranks share one.

#include <mpi.h>
#include <smpi/smpi.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

enum Tag { done, figure };

/// The shape of a call: vectors of n elements, in P blocks. Each call has a number: what is left of
/// the messages of one must not pass for those of the next.
struct Shape {
  int n, P, rank, number;
  MPI_Comm ranks;
  int block() const { return n / P; }
};

/// Element i of what rank `origin` contributes. No sum of others' equals it by accident.
std::uint32_t element(const Shape& s, int origin, int i) {
  std::uint32_t h = static_cast<std::uint32_t>(s.number * s.P + origin + 1);
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return (h ^ h >> 16) + static_cast<std::uint32_t>(i);
}

enum class Size { none, block, whole };

struct Collective {
  const char* name;
  Size send, receive;
  bool root_sends, root_receives;  ///< only the root does
  void (*call)(const void* from, void* to, const Shape& s);
  /// Element i of the result at the rank. `add`: what all ranks' elements 0 add up to.
  std::uint32_t (*result)(const Shape& s, std::uint32_t add, int i);
};

/// Element i of the blocks of all ranks; of each block `offset` is where it begins there.
std::uint32_t of_origins(const Shape& s, int i, int offset) {
  return element(s, i / s.block(), offset + i % s.block());
}

/// What index i adds to the sum of elements i.
std::uint32_t all(const Shape& s, int i) {
  return static_cast<std::uint32_t>(s.P) * static_cast<std::uint32_t>(i);
}

const Collective collectives[] = {
    {"broadcast", Size::none, Size::whole, false, false,
     [](const void*, void* to, const Shape& s) { MPI_Bcast(to, s.n, MPI_UNSIGNED, 0, s.ranks); },
     [](const Shape& s, std::uint32_t, int i) { return element(s, 0, i); }},
    {"reduce", Size::whole, Size::whole, false, true,
     [](const void* from, void* to, const Shape& s) {
       MPI_Reduce(from, to, s.n, MPI_UNSIGNED, MPI_SUM, 0, s.ranks);
     },
     [](const Shape& s, std::uint32_t add, int i) { return add + all(s, i); }},
    {"allreduce", Size::whole, Size::whole, false, false,
     [](const void* from, void* to, const Shape& s) {
       MPI_Allreduce(from, to, s.n, MPI_UNSIGNED, MPI_SUM, s.ranks);
     },
     [](const Shape& s, std::uint32_t add, int i) { return add + all(s, i); }},
    {"reduce-scatter", Size::whole, Size::block, false, false,
     [](const void* from, void* to, const Shape& s) {
       const std::vector<int> counts(static_cast<std::size_t>(s.P), s.block());
       MPI_Reduce_scatter(from, to, counts.data(), MPI_UNSIGNED, MPI_SUM, s.ranks);
     },
     [](const Shape& s, std::uint32_t add, int i) { return add + all(s, s.rank * s.block() + i); }},
    {"allgather", Size::block, Size::whole, false, false,
     [](const void* from, void* to, const Shape& s) {
       MPI_Allgather(from, s.block(), MPI_UNSIGNED, to, s.block(), MPI_UNSIGNED, s.ranks);
     },
     [](const Shape& s, std::uint32_t, int i) { return of_origins(s, i, 0); }},
    {"gather", Size::block, Size::whole, false, true,
     [](const void* from, void* to, const Shape& s) {
       MPI_Gather(from, s.block(), MPI_UNSIGNED, to, s.block(), MPI_UNSIGNED, 0, s.ranks);
     },
     [](const Shape& s, std::uint32_t, int i) { return of_origins(s, i, 0); }},
    {"scatter", Size::whole, Size::block, true, false,
     [](const void* from, void* to, const Shape& s) {
       MPI_Scatter(from, s.block(), MPI_UNSIGNED, to, s.block(), MPI_UNSIGNED, 0, s.ranks);
     },
     [](const Shape& s, std::uint32_t, int i) { return element(s, 0, s.rank * s.block() + i); }},
    {"alltoall", Size::whole, Size::whole, false, false,
     [](const void* from, void* to, const Shape& s) {
       MPI_Alltoall(from, s.block(), MPI_UNSIGNED, to, s.block(), MPI_UNSIGNED, s.ranks);
     },
     [](const Shape& s, std::uint32_t, int i) { return of_origins(s, i, s.rank * s.block()); }},
};

void sleep_seconds(double seconds) {
  const long nanoseconds = std::lround(seconds * 1e9);
  const timespec wait = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&wait, nullptr);
}

/// The largest of the ranks' numbers, at all of them, by messages: collectives are what is timed.
double largest(double mine, MPI_Comm ranks) {
  int rank = 0, P = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &P);
  if (rank != 0) {
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, figure, ranks);
    MPI_Recv(&mine, 1, MPI_DOUBLE, 0, figure, ranks, MPI_STATUS_IGNORE);
    return mine;
  }
  for (int other = 1; other < P; ++other) {
    double others = 0;
    MPI_Recv(&others, 1, MPI_DOUBLE, other, figure, ranks, MPI_STATUS_IGNORE);
    mine = std::fmax(mine, others);
  }
  for (int other = 1; other < P; ++other) MPI_Send(&mine, 1, MPI_DOUBLE, other, figure, ranks);
  return mine;
}

/// Lets all ranks begin at the same simulated time, which it returns.
double start_together() {
  const double start = largest(MPI_Wtime(), MPI_COMM_WORLD) + 0.01;
  sleep_seconds(start - MPI_Wtime());
  return start;
}

/// All ranks but one, or all if there is no such rank. Made without MPI_Comm_split, in which there
/// are collectives.
MPI_Comm all_but(int rank) {
  if (rank == MPI_PROC_NULL) return MPI_COMM_WORLD;
  MPI_Group world, others;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &rank, &others);
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, others, &result);
  return result;
}

/// Ends the program unless rank 0 has reported within `seconds` that the collective is complete.
void watch(int bytes, double seconds) {
  start_together();
  sleep_seconds(seconds);
  int there = 0;
  MPI_Iprobe(0, done, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  if (!there) {
    std::printf("%d cut\n", bytes);
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, 0, done, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

struct Outcome {
  double seconds = 0;
  bool wrong = false;
};

class Call {
 public:
  Call(const Collective& collective, const Shape& shape) : c_(collective), s_(shape) {
    const std::size_t of_all_ranks = elements(c_.send) * (c_.root_sends ? 1 : s_.P) +
                                     elements(c_.receive) * (c_.root_receives ? 1 : s_.P);
    verified_ = of_all_ranks * sizeof(std::uint32_t) <= MOST_VERIFIED;
    const bool sends = s_.rank == 0 || !c_.root_sends, receives = s_.rank == 0 || !c_.root_receives;
    if (verified_) {
      if (sends) own_from_.resize(elements(c_.send));
      if (receives) own_to_.resize(elements(c_.receive));
      from_ = own_from_.data();
      to_ = own_to_.data();
    } else {
      if (c_.send != Size::none)
        from_ = SMPI_SHARED_MALLOC(sizeof(std::uint32_t) * elements(c_.send));
      to_ = SMPI_SHARED_MALLOC(sizeof(std::uint32_t) * elements(c_.receive));
    }
  }
  ~Call() {
    if (verified_) return;
    if (from_ != nullptr) SMPI_SHARED_FREE(from_);
    SMPI_SHARED_FREE(to_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Rank 0 reports the end to the rank `watching`, if there is one.
  Outcome run(int watching) {
    ++s_.number;
    fill();
    const double start = start_together();
    c_.call(from_, to_, s_);
    Outcome outcome;
    outcome.seconds = largest(MPI_Wtime() - start, s_.ranks);
    outcome.wrong = largest(wrong() ? 1 : 0, s_.ranks) > 0;
    if (s_.rank == 0) MPI_Send(nullptr, 0, MPI_BYTE, watching, done, MPI_COMM_WORLD);
    return outcome;
  }

 private:
  std::size_t elements(Size size) const {
    if (size == Size::none) return 0;
    return static_cast<std::size_t>(size == Size::whole ? s_.n : s_.block());
  }

  void fill() {
    for (std::size_t i = 0; i < own_from_.size(); ++i)
      own_from_[i] = element(s_, s_.rank, static_cast<int>(i));
    const bool root_of_broadcast = c_.send == Size::none && s_.rank == 0;
    for (std::size_t i = 0; i < own_to_.size(); ++i)
      own_to_[i] = root_of_broadcast ? element(s_, 0, static_cast<int>(i)) : 0;
  }

  bool wrong() const {
    std::uint32_t add = 0;
    for (int origin = 0; origin < s_.P; ++origin) add += element(s_, origin, 0);
    for (std::size_t i = 0; i < own_to_.size(); ++i) {
      if (own_to_[i] != c_.result(s_, add, static_cast<int>(i))) return true;
    }
    return false;
  }

  const Collective& c_;
  Shape s_;
  bool verified_ = true;
  std::vector<std::uint32_t> own_from_, own_to_;
  void* from_ = nullptr;
  void* to_ = nullptr;
};

/// The second of two calls; wrong if one of them is.
Outcome second_call(const Collective& collective, const Shape& shape, int watching) {
  Call call(collective, shape);
  const bool wrong = call.run(watching).wrong;
  Outcome outcome = call.run(watching);
  outcome.wrong |= wrong;
  return outcome;
}

const Collective* named(const char* name) {
  for (const Collective& c : collectives) {
    if (std::strcmp(c.name, name) == 0) return &c;
  }
  return nullptr;
}

void print(int bytes, bool slow, bool wrong, double microseconds) {
  if (slow) {
    std::printf("%d slow\n", bytes);
  } else if (wrong) {
    std::printf("%d wrong\n", bytes);
  } else {
    std::printf("%d %.6f\n", bytes, microseconds);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) return 2;
  const Collective* collective = named(argv[1]);
  if (collective == nullptr) return 2;
  const int watching = std::strcmp(argv[2], "watched") == 0 ? size - 1 : MPI_PROC_NULL;
  const int P = watching == MPI_PROC_NULL ? size : size - 1;
  const MPI_Comm ranks = all_but(watching);
  double microseconds = 0;  // of the previous size
  for (int i = 3; i < argc; ++i) {
    int bytes = 0;
    double limit = 0;
    if (std::sscanf(argv[i], "%d:%lf", &bytes, &limit) != 2) return 2;
    const bool slow = microseconds > limit;
    Outcome outcome;
    if (!slow && rank != watching) {
      const Shape shape{bytes / static_cast<int>(sizeof(std::uint32_t)), P, rank, 0, ranks};
      outcome = second_call(*collective, shape, watching);
      microseconds = outcome.seconds * 1e6;
    }
    if (!slow && rank == watching) {
      for (int time = 0; time < 2; ++time) watch(bytes, limit * 1e-6 + 0.001);
    }
    microseconds = largest(microseconds, MPI_COMM_WORLD);
    if (rank == 0) print(bytes, slow, outcome.wrong, microseconds);
  }
  MPI_Finalize();
}
