#ifndef SCHEDCC_LOCAL_EXCHANGE_HPP
#define SCHEDCC_LOCAL_EXCHANGE_HPP

// Total exchange, block by block: in every step a rank has one partner.
//
// Source: BFT, section 5.

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// The rank that rank v sends to in step t of a pairwise exchange.
template <typename N>
constexpr N pairwise_partner(N v, N t, N P) {
  return add_mod(v, t + N(1), P);
}

/// In step t rank v sends its block for rank v + t + 1; with several ports, k of these steps are
/// one.
class Pairwise {
 public:
  Pairwise(std::uint64_t P, std::uint64_t K, std::uint64_t k = 1) : P_(P), K_(K), k_(k) {}

  std::uint64_t steps() const { return ceil_div(P_ - 1, k_); }
  RankSchedule<Pairwise> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    for (std::uint64_t t = k_ * step; t < end(step); ++t) {
      const std::uint64_t to = pairwise_partner(rank, t, P_);
      f(RankTransfer{to, (rank * P_ + to) * K_, K_, false});
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    for (std::uint64_t t = k_ * step; t < end(step); ++t) {
      const std::uint64_t from = sub_mod(rank, t + 1, P_);
      f(RankTransfer{from, (from * P_ + rank) * K_, K_, false});
    }
  }

 private:
  std::uint64_t end(std::uint64_t step) const { return std::min(k_ * step + k_, P_ - 1); }

  std::uint64_t P_, K_, k_;
};

// Total exchange by exclusive or on n = 2^h leaves: with partner u of 0 .. n-2.

/// The remaining partners, including this one.
template <typename N>
constexpr N xor_left(N u, std::uint64_t n) {
  return N(n - 1) - u;
}
template <typename N>
constexpr N xor_partner(N k, N u, std::uint64_t n) {
  const N left = xor_left(u, n);
  const N half = N(1) << (bit_width(left) - N(1));  // 2^(h_i - 1)
  const N l = N(2) * half - N(1) - left;
  return k ^ half ^ l;
}
/// The height that the messages climb: h_i.
template <typename N>
constexpr N xor_height(N u, std::uint64_t n) {
  return bit_width(xor_left(u, n));
}
/// The step of the j-th packet for partner u.
template <typename N>
constexpr N xor_step(N u, N j, N K, std::uint64_t h, std::uint64_t n) {
  return u * K + j + N(2) * (N(h) - xor_height(u, n));
}

/// On the exponential fat tree, P = 2^h: in phase i = 0..h-1 the halves of every subtree of height
/// h_i = h - i exchange their blocks for each other, rank v with v xor 2^(h_i - 1) xor l for all l
/// below 2^(h_i - 1), K steps each. A phase begins two steps after the last step of the previous
/// one.
class Xor {
 public:
  Xor(std::uint64_t P, std::uint64_t K) : P_(P), K_(K), h_(ceil_log(2, P)) {}

  std::uint64_t steps() const { return P_ == 1 ? 0 : step_of(rows() - 1) + 1; }
  RankSchedule<Xor> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The steps that are not pauses, and the number of the i-th of them.
  std::uint64_t rows() const { return K_ * (P_ - 1); }
  std::uint64_t step_of(std::uint64_t row) const {
    return xor_step(row / K_, row % K_, K_, h_, P_);
  }

  /// Partners differ by this, and exchange packet j; 0: a pause.
  struct StepData {
    std::uint64_t difference, j;
  };
  StepData step_data_of_row(std::uint64_t row) const {
    return {xor_partner(std::uint64_t{0}, row / K_, P_), row % K_};
  }
  StepData step_data(std::uint64_t step) const {
    // After i pauses; if it is a pause, there is no such row.
    for (std::uint64_t i = 0; i < h_ && 2 * i <= step; ++i) {
      const std::uint64_t row = step - 2 * i;
      if (row < rows() && step_of(row) == step) return step_data_of_row(row);
    }
    return {0, 0};
  }
  Ranks senders(const StepData& data) const { return {0, data.difference == 0 ? 0 : P_}; }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    const std::uint64_t peer = rank ^ data.difference;
    f(RankTransfer{peer, (rank * P_ + peer) * K_ + data.j, 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (data.difference == 0) return;
    const std::uint64_t peer = rank ^ data.difference;
    f(RankTransfer{peer, (peer * P_ + rank) * K_ + data.j, 1, false});
  }

 private:
  std::uint64_t P_, K_, h_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_EXCHANGE_HPP
