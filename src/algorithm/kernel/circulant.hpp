#ifndef SCHEDCC_LOCAL_CIRCULANT_HPP
#define SCHEDCC_LOCAL_CIRCULANT_HPP

// The circulant broadcast: in a round with skip s_k rank v sends to v + s_k and receives from v -
// s_k, packets according to the rank's own schedule of ceil(log2 P) numbers.
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

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULANT_HPP
