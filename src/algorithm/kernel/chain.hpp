#ifndef SCHEDCC_LOCAL_CHAIN_HPP
#define SCHEDCC_LOCAL_CHAIN_HPP

// The chain: rank v passes packet j on to rank v + 1 in step v + gap j. The gap is 1 where a rank
// can send while it receives, and 2 where it cannot.
//
// Source: FT, section 2; BL, "Very Large Message Broadcast".

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

class Chain {
 public:
  Chain(std::uint64_t P, std::uint64_t K, std::uint64_t gap = 1)
      : P_(P), K_(K), gap_(P <= 2 ? 1 : gap) {}

  std::uint64_t steps() const { return P_ == 1 ? 0 : P_ - 1 + (K_ - 1) * gap_; }

  struct Place {
    std::uint64_t rank, P, K, gap;

    /// From its first receive, or the root's first send, to its last send, or the end's last
    /// receive.
    When when() const {
      if (P == 1) return {};
      const std::uint64_t first = rank == 0 ? 0 : rank - 1;
      const std::uint64_t last = (rank + 1 < P ? rank : rank - 1) + (K - 1) * gap;
      return {first, last + 1, 1};
    }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      if (rank + 1 < P) on_edge(rank, rank + 1, step, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      if (rank > 0) on_edge(rank - 1, rank - 1, step, f);
    }

   private:
    template <typename F>
    void on_edge(std::uint64_t edge, std::uint64_t peer, std::uint64_t step, F f) const {
      if (step < edge || (step - edge) % gap != 0) return;
      const std::uint64_t packet = (step - edge) / gap;
      if (packet < K) f(Part{peer, packet, 1, false});
    }
  };
  Place at(std::uint64_t rank) const { return {rank, P_, K_, gap_}; }

 private:
  std::uint64_t P_, K_, gap_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CHAIN_HPP
