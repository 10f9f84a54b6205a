#ifndef SCHEDCC_LOCAL_EXCHANGE_HPP
#define SCHEDCC_LOCAL_EXCHANGE_HPP

// Total exchange, block by block: in every step a rank has one partner.
//
// Source: BFT, section 5.

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// In step t rank v sends its block for rank v + t + 1.
class Pairwise {
 public:
  Pairwise(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return P_ - 1; }
  Place<Pairwise> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t to = further(rank, step + 1, P_);
    f(Part{to, (rank * P_ + to) * K_, K_, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = back(rank, step + 1, P_);
    f(Part{from, (from * P_ + rank) * K_, K_, false});
  }

 private:
  std::uint64_t P_, K_;
};

/// On the exponential fat tree, P = 2^h: in phase i = 0..h-1 the halves of every subtree of height
/// h - i exchange what they have for each other, rank v with v xor 2^(h-i-1) xor l for all l below
/// 2^(h-i-1), K steps each. A phase begins two steps after the last step of the one before.
class Xor {
 public:
  Xor(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return P_ == 1 ? 0 : K_ * (P_ - 1) + 2 * (ceil_log(2, P_) - 1); }
  Place<Xor> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    partner(rank, step, [&](std::uint64_t peer, std::uint64_t j) {
      f(Part{peer, (rank * P_ + peer) * K_ + j, 1, false});
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    partner(rank, step, [&](std::uint64_t peer, std::uint64_t j) {
      f(Part{peer, (peer * P_ + rank) * K_ + j, 1, false});
    });
  }

 private:
  /// Calls g with the partner of a step, and with which of the K packets it is; not in a pause.
  template <typename G>
  void partner(std::uint64_t rank, std::uint64_t step, G g) const {
    std::uint64_t begin = 0;
    for (std::uint64_t half = P_ / 2; half > 0 && step >= begin; half /= 2) {
      const std::uint64_t row = step - begin;
      if (row < K_ * half) return g(rank ^ half ^ (row / K_), row % K_);
      begin += K_ * half + 2;
    }
  }

  std::uint64_t P_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_EXCHANGE_HPP
