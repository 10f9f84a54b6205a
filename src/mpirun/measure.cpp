// Rank 0 measures with one other rank at a time, alternately sending and receiving; then all ranks
// of a node, or of two nodes, send at once. The others wait, as far as MPI lets them without using
// the processor. All waits are for messages: no loop depends on the time.
//
// Overhead of a send: of MPI_Send, several in a row. Of a receive: of MPI_Recv, for messages whose
// successor from the same rank has been received before; and of MPI_Wait for receives that were
// posted before these were sent.
//
// Source: Culler, Liu, Martin, Yoshikawa, "Assessing Fast Network Interfaces", IEEE Micro 1996;
// Hoefler, Lichei, Rehm, "Low-Overhead LogGP Parameter Assessment for Modern Interconnection
// Networks", IPDPS 2007.

#include "mpirun/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/core.h>

#include "schedcc/mpi.hpp"

namespace schedcc {

namespace {

using mpi::check;

/// The clock of rank 0: seconds.
struct TimeSource {
  double resolution = 0;  ///< the least difference of two readings
  double reading = 0;     ///< what reading it takes
};

TimeSource time_source() {
  constexpr int readings = 1000;
  TimeSource result{MPI_Wtick(), 0};
  std::vector<double> differences;
  double least = HUGE_VAL;
  for (int i = 0; i < readings; ++i) {
    const double before = MPI_Wtime();
    const double after = MPI_Wtime();
    differences.push_back(after - before);
    if (after > before) least = std::min(least, after - before);
  }
  if (least < HUGE_VAL) result.resolution = least;
  result.reading = median(std::move(differences));
  return result;
}

/// Repetitions of a measurement, each of `batch` executions.
struct Plan {
  std::uint64_t samples = 0, batch = 1;
};

class Bench {
 public:
  explicit Bench(std::uint64_t repetitions) : repetitions_(repetitions) {
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    time_ = time_source();
  }

  LevelSamples between(const std::vector<int>& peers) {
    LevelSamples result;
    for (const int peer : peers) {
      stage([&] { with_peer(peer, result); }, rank_ == 0 || rank_ == peer);
    }
    return result;
  }

  /// Each of ranks 0..n-1 sends to the rank `shift` after it.
  std::vector<TimedSize> simultaneous(int n, int shift) {
    std::vector<TimedSize> result;
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_split(MPI_COMM_WORLD, rank_ < n ? 0 : MPI_UNDEFINED, rank_, &comm));
    stage(
        [&] {
          for (const std::uint64_t bytes : large_sizes)
            result.push_back({bytes, exchanges(comm, n, shift, bytes)});
        },
        rank_ < n);
    if (comm != MPI_COMM_NULL) check(MPI_Comm_free(&comm));
    return result;
  }

  /// Does time pass while messages go back and forth? The answer of rank 0 is that of all.
  bool time_passes() {
    int passes = 1;
    stage(
        [&] {
          const double start = MPI_Wtime();
          for (int i = 0; i < 100; ++i) to_and_fro(1, 1);
          passes = MPI_Wtime() > start ? 1 : 0;
        },
        rank_ <= 1);
    check(MPI_Bcast(&passes, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return passes != 0;
  }

 private:
  static constexpr std::uint64_t largest = std::end(large_sizes)[-1];
  static constexpr double longest = 0.5;  ///< seconds of a measurement
  static constexpr std::uint64_t burst = 8;
  enum Tag : int { data, last, answer, agreed };

  /// `work` by those who take part. The others sleep between looking for its end.
  template <typename F>
  void stage(F work, bool takes_part) {
    mpi::Watchdog::start(nullptr);
    if (takes_part) sent_.resize(largest), received_.resize(largest);
    check(MPI_Barrier(MPI_COMM_WORLD));
    if (takes_part) work();
    MPI_Request all = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(MPI_COMM_WORLD, &all));
    for (int done = 0; done == 0;) {
      check(MPI_Test(&all, &done, MPI_STATUS_IGNORE));
      if (done == 0) usleep(1000);
    }
    mpi::Watchdog::rest();
  }

  /// The samples of rank 0; the peer adds none.
  void with_peer(int peer, LevelSamples& result) {
    std::size_t number = 0;
    const auto each = [&](const auto& sizes) {
      for (const std::uint64_t bytes : sizes) {
        if (number == result.one_way.size()) result.one_way.push_back({bytes, {}});
        repeat(peer, result.one_way[number++].seconds, 2, [&] { return round_trip(peer, bytes); });
      }
    };
    each(small_sizes);
    each(middle_sizes);
    each(large_sizes);
    repeat(peer, result.send, burst, [&] { return send_burst(peer); });
    repeat(peer, result.receive, burst, [&] { return receive_burst(peer); });
    repeat(peer, result.posted_receive, burst, [&] { return posted_burst(peer); });
    repeat(peer, result.gap, burst - 1, [&] { return series(peer); });
  }

  /// Adds samples of `once`, which returns what rank 0 measured; each is divided by `units`.
  template <typename F>
  void repeat(int peer, std::vector<double>& samples, std::uint64_t units, F once) {
    once();  // connections are made, and memory is registered
    std::array<double, 3> tried{};
    for (double& seconds : tried) seconds = once();
    const Plan plan = agreed_plan(peer, median({tried.begin(), tried.end()}));
    for (std::uint64_t i = 0; i < plan.samples; ++i) {
      double seconds = 0;
      for (std::uint64_t k = 0; k < plan.batch; ++k) seconds += once();
      if (rank_ == 0) samples.push_back(seconds / static_cast<double>(plan.batch * units));
    }
  }

  Plan plan_for(double seconds) const {
    Plan result;
    const double wanted = 100 * time_.resolution;  // a hundredth of a sample
    if (seconds < wanted)
      result.batch = static_cast<std::uint64_t>(
          std::ceil(std::min(wanted / std::max(seconds, wanted / 100), 100.0)));
    const double sample = std::max(seconds, 1e-9) * static_cast<double>(result.batch);
    result.samples = std::clamp(static_cast<std::uint64_t>(std::min(longest / sample, 1e9)),
                                fewest_repetitions, repetitions_);
    return result;
  }

  Plan agreed_plan(int peer, double seconds) {
    Plan result = plan_for(seconds);
    std::array<std::uint64_t, 2> numbers{result.samples, result.batch};
    if (rank_ == 0) {
      check(MPI_Send(numbers.data(), 2, MPI_UINT64_T, peer, agreed, MPI_COMM_WORLD));
    } else {
      check(
          MPI_Recv(numbers.data(), 2, MPI_UINT64_T, 0, agreed, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return {numbers[0], numbers[1]};
  }

  void send(int peer, std::uint64_t bytes, Tag tag) {
    check(MPI_Send(sent_.data(), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD));
  }
  void receive(int peer, std::uint64_t bytes, Tag tag) {
    check(MPI_Recv(received_.data(), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE));
  }
  MPI_Request post(int peer, Tag tag, std::size_t place) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(received_.data() + place, 1, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request));
    return request;
  }
  static void wait(MPI_Request& request) { check(MPI_Wait(&request, MPI_STATUS_IGNORE)); }

  /// What `work` takes, without the reading of the clock.
  template <typename F>
  double timed(F work) const {
    const double start = MPI_Wtime();
    work();
    return MPI_Wtime() - start - time_.reading;
  }

  void to_and_fro(int peer, std::uint64_t bytes) {
    if (rank_ == 0) {
      send(peer, bytes, data);
      receive(peer, bytes, data);
    } else {
      receive(0, bytes, data);
      send(0, bytes, data);
    }
  }
  double round_trip(int peer, std::uint64_t bytes) {
    return timed([&] { to_and_fro(peer, bytes); });
  }

  double send_burst(int peer) {
    if (rank_ != 0) {
      for (std::uint64_t i = 0; i < burst; ++i) receive(0, 1, data);
      send(0, 1, answer);
      return 0;
    }
    const double seconds = timed([&] {
      for (std::uint64_t i = 0; i < burst; ++i) send(peer, 1, data);
    });
    receive(peer, 1, answer);
    return seconds;
  }

  /// The messages of a peer, and one after them, when rank 0 asks for them.
  void answer_with_burst() {
    receive(0, 1, answer);
    for (std::uint64_t i = 0; i < burst; ++i) send(0, 1, data);
    send(0, 1, last);
  }

  double receive_burst(int peer) {
    if (rank_ != 0) return answer_with_burst(), 0;
    send(peer, 1, answer);
    receive(peer, 1, last);
    return timed([&] {
      for (std::uint64_t i = 0; i < burst; ++i) receive(peer, 1, data);
    });
  }

  std::array<MPI_Request, burst> post_burst(int peer) {
    std::array<MPI_Request, burst> requests{};
    for (std::size_t i = 0; i < burst; ++i) requests[i] = post(peer, data, i);
    return requests;
  }

  double posted_burst(int peer) {
    if (rank_ != 0) return answer_with_burst(), 0;
    auto requests = post_burst(peer);
    MPI_Request after = post(peer, last, burst);
    send(peer, 1, answer);
    wait(after);
    return timed([&] {
      for (MPI_Request& request : requests) wait(request);
    });
  }

  /// From the end of the first receive to that of the last one.
  double series(int peer) {
    if (rank_ != 0) return answer_with_burst(), 0;
    auto requests = post_burst(peer);
    MPI_Request after = post(peer, last, burst);
    send(peer, 1, answer);
    wait(requests[0]);
    const double seconds = timed([&] {
      for (std::size_t i = 1; i < burst; ++i) wait(requests[i]);
    });
    wait(after);
    return seconds;
  }

  /// The times of the slowest rank.
  std::vector<double> exchanges(MPI_Comm comm, int n, int shift, std::uint64_t bytes) {
    const auto once = [&] {
      check(MPI_Barrier(comm));
      double seconds = timed([&] {
        check(MPI_Sendrecv(sent_.data(), static_cast<int>(bytes), MPI_BYTE, (rank_ + shift) % n,
                           data, received_.data(), static_cast<int>(bytes), MPI_BYTE,
                           (rank_ + n - shift) % n, data, comm, MPI_STATUS_IGNORE));
      });
      check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
      return seconds;
    };
    once();
    Plan plan = plan_for(once());
    check(MPI_Bcast(&plan.samples, 1, MPI_UINT64_T, 0, comm));
    std::vector<double> result;
    for (std::uint64_t i = 0; i < plan.samples; ++i) result.push_back(once());
    return result;
  }

  std::uint64_t repetitions_;
  std::vector<std::byte> sent_, received_;
  TimeSource time_;
  int rank_ = 0;
};

/// The first rank of each process's node, and how many ranks the node has.
std::vector<std::array<int, 2>> shared_memory(int rank, int size) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  std::array<int, 2> own{rank, 0};
  check(MPI_Comm_size(node, &own[1]));
  check(MPI_Bcast(own.data(), 1, MPI_INT, 0, node));
  check(MPI_Comm_free(&node));
  std::vector<std::array<int, 2>> all(static_cast<std::size_t>(size));
  check(MPI_Allgather(own.data(), 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD));
  return all;
}

}  // namespace

NodeShape find_nodes(std::uint32_t ranks_per_node) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &size));
  const auto P = static_cast<std::uint32_t>(size);
  if (P == 1)
    throw mpi::UsageError("--calibrate needs at least two processes; start more with -np");
  if (ranks_per_node != 0) {
    if (P % ranks_per_node != 0) {
      throw mpi::UsageError(fmt::format(
          "--ranks-per-node: {} processes cannot be divided into nodes of {}", P, ranks_per_node));
    }
    return {P / ranks_per_node, ranks_per_node};
  }
  const auto nodes = shared_memory(rank, size);
  const int ranks = nodes[0][1];
  for (int r = 0; r < size; ++r) {
    const auto [first, own] = nodes[static_cast<std::size_t>(r)];
    if (own != ranks) {
      throw mpi::UsageError(
          fmt::format("the node of rank 0 has {} processes, and that of rank {} has {}: a machine "
                      "file has nodes "
                      "of equal size; start as many processes on each, or state --ranks-per-node",
                      ranks, r, own));
    }
    if (first != r / ranks * ranks) {
      throw mpi::UsageError(fmt::format(
          "rank {} shares memory with rank {}: the ranks of a node have to be consecutive; place "
          "processes node by node (Open MPI: --map-by slot), or state --ranks-per-node",
          r, first));
    }
  }
  return {P / static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(ranks)};
}

std::vector<LevelSamples> measure(const NodeShape& shape, std::uint64_t repetitions) {
  Bench bench(repetitions);
  if (!bench.time_passes()) {
    throw mpi::UsageError(
        "MPI_Wtime does not advance while messages are sent: there is no time source");
  }
  const auto nodes = static_cast<int>(shape.nodes), ranks = static_cast<int>(shape.ranks_per_node);
  std::vector<LevelSamples> result;
  const auto peers = [](int first, int last) {
    return first == last ? std::vector{first} : std::vector{first, last};
  };
  if (ranks > 1) {
    result.push_back(bench.between(peers(1, ranks - 1)));
    result.back().simultaneous = bench.simultaneous(ranks, 1);
  }
  if (nodes > 1) {
    result.push_back(bench.between(peers(ranks, (nodes - 1) * ranks)));
    if (ranks > 1) result.back().simultaneous = bench.simultaneous(2 * ranks, ranks);
  }
  return result;
}

}  // namespace schedcc
