#ifndef SCHEDCC_LOCAL_BUTTERFLY_HPP
#define SCHEDCC_LOCAL_BUTTERFLY_HPP

// The butterfly broadcast for P = 2^h: packet s goes from rank 0 to 2^j, j = s mod h, in step s,
// and from there by bit flips: in step t = s + 1 + i all members of
//     S(i, j) = { 2^j + sum over r in R of 2^((j+r) mod h) : R subset of {1..i} }
// flip bit t mod h (but no rank sends to rank 0). Rotated by j places to the right, S(i, j) is the
// odd numbers below 2^(i+1). The sets of the packets under way are disjoint, so that a rank
// searches the h levels for the one that it is in.
//
// Source: CC, "Optimal broadcast construction" and "Optimal broadcast".

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

// Formulas on words of h bits.

/// In step t all ranks flip this bit; packet s uses the tree of this bit.
template <typename N>
constexpr N butterfly_bit(N t, std::uint64_t h) {
  return t % N(h);
}
/// x, a number of h bits, rotated by j places to the left.
template <typename N>
constexpr N rotate(N x, N j, std::uint64_t h) {
  return ((x << j) | (x >> (N(h) - j))) & N((std::uint64_t{1} << h) - 1);
}
/// The packet that is on level i in step t, ...
template <typename N>
constexpr N butterfly_packet(N t, N i) {
  return t - N(1) - i;
}
/// ... if there is one.
template <typename N>
constexpr auto butterfly_on_level(N t, N i, N K) {
  return i < t && butterfly_packet(t, i) < K;
}
/// The number of subsets R of {1..i}, the numbers below it.
template <typename N>
constexpr N butterfly_subsets(N i) {
  return N(1) << i;
}
/// The member of S(i, j), j = s mod h, for the subset R of {1..i}, bit r - 1 for r; ...
template <typename N>
constexpr N butterfly_member(N s, N R, std::uint64_t h) {
  return rotate(N(1) + N(2) * R, butterfly_bit(s, h), h);
}
/// ... and rank v rotated back: 1 + 2R if it is one, 2R if not.
template <typename N>
constexpr N butterfly_place(N s, N v, std::uint64_t h) {
  return rotate(v, N(h) - butterfly_bit(s, h), h);
}
template <typename N>
constexpr N butterfly_steps(N K, std::uint64_t h) {
  return h == 1 ? K : K + N(h);
}

class Butterfly {
 public:
  Butterfly(std::uint64_t P, std::uint64_t K) : h_(ceil_log(2, P)), K_(K) {}

  std::uint64_t steps() const { return h_ == 0 ? 0 : butterfly_steps(K_, h_); }
  std::uint64_t packets() const { return K_; }
  RankSchedule<Butterfly> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t to = rank ^ bit(step);
    if (to != 0) packet(rank, step, [&](std::uint64_t s) { f(RankTransfer{to, s, 1, false}); });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = rank ^ bit(step);
    if (rank != 0) packet(from, step, [&](std::uint64_t s) { f(RankTransfer{from, s, 1, false}); });
  }

 private:
  std::uint64_t bit(std::uint64_t step) const {
    return std::uint64_t{1} << butterfly_bit(step, h_);
  }

  /// Calls f with the packet that a rank may send in a step.
  template <typename F>
  void packet(std::uint64_t rank, std::uint64_t step, F f) const {
    if (rank == 0) {
      if (step < K_) f(step);
      return;
    }
    for (std::uint64_t i = 0; i < h_; ++i) {
      if (!butterfly_on_level(step, i, K_)) continue;
      const std::uint64_t s = butterfly_packet(step, i);
      const std::uint64_t place = butterfly_place(s, rank, h_);
      if (place % 2 == 1 && place / 2 < butterfly_subsets(i)) return f(s);
    }
  }

  std::uint64_t h_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BUTTERFLY_HPP
