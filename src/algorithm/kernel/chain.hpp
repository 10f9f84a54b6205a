#ifndef SCHEDCC_LOCAL_CHAIN_HPP
#define SCHEDCC_LOCAL_CHAIN_HPP

// The chain: rank v sends packet j to rank v + 1 in step v + gap j. The gap is 1 if a rank can send
// while it receives, and 2 otherwise.
//
// Source: FT, section 2; BL, "Very Large Message Broadcast".

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// The packet of edge v -> v + 1 in step t, ...
template <typename N>
constexpr N chain_packet(N t, N v, std::uint64_t gap) {
  return gap == 1 ? t - v : (t - v) / N(2);
}
/// ... if there is one.
template <typename N>
constexpr auto chain_sends(N t, N v, N K, std::uint64_t gap) {
  const auto begun = !(t < v) && chain_packet(t, v, gap) < K;
  return gap == 1 ? begun : begun && (t - v) % N(2) == N(0);
}
template <typename N>
constexpr N chain_steps(N P, N K, std::uint64_t gap) {
  return P - N(1) + (K - N(1)) * N(gap);
}

class Chain {
 public:
  /// The gap is 1 or 2.
  Chain(std::uint64_t P, std::uint64_t K, std::uint64_t gap = 1)
      : P_(P), K_(K), gap_(P <= 2 ? 1 : gap) {}

  std::uint64_t steps() const { return P_ == 1 ? 0 : chain_steps(P_, K_, gap_); }
  std::uint64_t gap() const { return gap_; }
  RankSchedule<Chain> at(std::uint64_t rank) const { return {*this, rank}; }

  /// From its first receive, or the root's first send, to its last send, or the end's last receive.
  StepRange active_steps(std::uint64_t rank) const {
    if (P_ == 1) return {};
    const std::uint64_t first = rank == 0 ? 0 : rank - 1;
    const std::uint64_t last = (rank + 1 < P_ ? rank : rank - 1) + (K_ - 1) * gap_;
    return {first, last + 1, 1};
  }
  /// The ranks for which chain_sends holds.
  Ranks senders(std::uint64_t step) const {
    const std::uint64_t oldest = (K_ - 1) * gap_;
    return {step > oldest ? step - oldest : step % gap_, std::min(step + 1, P_ - 1), gap_};
  }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    f(RankTransfer{rank + 1, chain_packet(step, rank, gap_), 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    if (rank == 0 || !chain_sends(step, rank - 1, K_, gap_)) return;
    f(RankTransfer{rank - 1, chain_packet(step, rank - 1, gap_), 1, false});
  }

 private:
  std::uint64_t P_, K_, gap_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CHAIN_HPP
