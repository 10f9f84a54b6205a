#ifndef SCHEDCC_LOCAL_CIRCULANT_HPP
#define SCHEDCC_LOCAL_CIRCULANT_HPP

// The circulant broadcast: in a round with skip s_k rank v sends to v + s_k and receives from v -
// s_k, packets according to the rank's own schedule of ceil(log2 P) numbers.
//
// The allgather: P such broadcasts, rotated. Of rank o's packets rank o + r receives those that
// rank r receives of rank 0's. So a rank receives in a round as many chunks as there are ranks that
// receive one in the broadcast, and finds these cell by cell (circulant_schedule.hpp), in time
// proportional to their number. With one packet to each rank they are the ranks s_k .. s_{k+1} - 1,
// whose blocks follow one another.
//
// Source: Träff, doi 10.1145/3735139.

#include <memory>

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/circulant_schedule.hpp"

namespace schedcc::local {

class Circulant {
 public:
  Circulant(std::uint64_t P, std::uint64_t K)
      : graph_(std::make_shared<const CirculantGraph>(P)), K_(K) {}

  std::uint64_t steps() const { return graph_->rounds(K_); }
  const CirculantGraph& graph() const { return *graph_; }
  std::uint64_t packets() const { return K_; }

  struct RankSchedule {
    std::shared_ptr<const CirculantGraph> graph;
    std::uint64_t rank, K;
    CirculantSchedule schedule;

    StepRange active_steps() const { return {0, graph->rounds(K), 1}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      const int k = place(step);
      const std::uint64_t to = graph->target(rank, k);
      if (to != 0) packet(step, k, schedule.send, to, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      const int k = place(step);
      if (rank != 0) packet(step, k, schedule.recv, graph->source(rank, k), f);
    }

   private:
    std::uint64_t q() const { return static_cast<std::uint64_t>(graph->q()); }
    int place(std::uint64_t step) const { return static_cast<int>(circulant_place(step, K, q())); }
    template <typename F>
    void packet(std::uint64_t step, int place, const std::array<std::int8_t, 64>& values,
                std::uint64_t peer, F f) const {
      const auto k = static_cast<std::uint64_t>(place);
      const std::uint64_t value_q = q() + static_cast<std::uint64_t>(values[k]);
      if (!circulant_sends(value_q, step, k, q())) return;
      f(RankTransfer{peer, circulant_block(value_q, step, k, K, q()), 1, false});
    }
  };
  RankSchedule at(std::uint64_t rank) const { return {graph_, rank, K_, graph_->schedule(rank)}; }

 private:
  std::shared_ptr<const CirculantGraph> graph_;
  std::uint64_t K_;
};

/// The allgather of K chunks of each rank.
class CirculantAllgather {
 public:
  CirculantAllgather(std::uint64_t P, std::uint64_t K) : one_(P, K), P_(P), K_(K) {}

  std::uint64_t steps() const { return one_.steps(); }
  /// The broadcast of rank 0's chunks.
  const Circulant& of_rank_zero() const { return one_; }
  RankSchedule<CirculantAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  struct StepData {
    std::uint64_t step;
    int k;
  };
  StepData step_data(std::uint64_t step) const {
    return {step, static_cast<int>(circulant_place(step, K_, q()))};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    const std::uint64_t to = one_.graph().target(rank, data.k);
    chunks_for(to, to, data, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    chunks_for(rank, one_.graph().source(rank, data.k), data, f);
  }

 private:
  std::uint64_t q() const { return static_cast<std::uint64_t>(one_.graph().q()); }

  /// What a rank receives.
  template <typename F>
  void chunks_for(std::uint64_t rank, std::uint64_t peer, const StepData& data, F f) const {
    const CirculantGraph& graph = one_.graph();
    if (K_ == 1) {
      const std::uint64_t begin = graph.skip(data.k), end = graph.skip(data.k + 1);
      return blocks(peer, sub_mod(rank, end - 1, P_), end - begin, f);
    }
    const auto k = static_cast<std::uint64_t>(data.k);
    const std::uint64_t least = data.step < k + q() ? k + q() - data.step : 0;
    graph.each_receiver(data.k, least, [&](const CirculantGraph::Receivers& all) {
      const std::uint64_t j = circulant_block(all.value_q, data.step, k, K_, q());
      for (std::uint64_t r = all.first; r < all.first + all.count; ++r)
        f(RankTransfer{peer, sub_mod(rank, r, P_) * K_ + j, 1, false});
    });
  }
  /// Of a chunk each, around the ring.
  template <typename F>
  void blocks(std::uint64_t peer, std::uint64_t first, std::uint64_t count, F f) const {
    const std::uint64_t fits = std::min(count, P_ - first);
    f(RankTransfer{peer, first, fits, false});
    if (fits < count) f(RankTransfer{peer, 0, count - fits, false});
  }

  Circulant one_;
  std::uint64_t P_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULANT_HPP
