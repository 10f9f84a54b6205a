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

  struct Place {
    std::shared_ptr<const CirculantGraph> graph;
    std::uint64_t rank, K;
    CirculantSchedule schedule;

    When when() const { return {0, graph->rounds(K), 1}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      const CirculantRound round = graph->round(step, K);
      const std::uint64_t to = graph->target(rank, round.k);
      if (to != 0) packet(round, schedule.send, to, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      const CirculantRound round = graph->round(step, K);
      if (rank != 0) packet(round, schedule.recv, graph->source(rank, round.k), f);
    }

   private:
    template <typename F>
    static void packet(const CirculantRound& round, const std::array<std::int8_t, 64>& values,
                       std::uint64_t peer, F f) {
      const std::int64_t j = round.block(values[static_cast<std::size_t>(round.k)]);
      if (j >= 0) f(Part{peer, static_cast<std::uint64_t>(j), 1, false});
    }
  };
  Place at(std::uint64_t rank) const { return {graph_, rank, K_, graph_->schedule(rank)}; }

 private:
  std::shared_ptr<const CirculantGraph> graph_;
  std::uint64_t K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULANT_HPP
