#ifndef SCHEDCC_LOCAL_BUTTERFLY_HPP
#define SCHEDCC_LOCAL_BUTTERFLY_HPP

// The butterfly broadcast for P = 2^h: packet s goes from rank 0 to 2^j, j = s mod h, in step s,
// and from there by bit flips: in step t = s + 1 + i all members of
//     S(i, j) = { 2^j + sum over r in R of 2^((j+r) mod h) : R subset of {1..i} }
// flip bit t mod h (but nobody sends to rank 0). Rotated by j places to the right, S(i, j) is the
// odd numbers below 2^(i+1). The sets of the packets under way are disjoint, so that a rank looks
// through the h levels for the one that it is in.
//
// Source: CC, "Optimal broadcast construction" and "Optimal broadcast".

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

class Butterfly {
 public:
  Butterfly(std::uint64_t P, std::uint64_t K) : h_(ceil_log(2, P)), K_(K) {}

  std::uint64_t steps() const { return h_ == 0 ? 0 : h_ == 1 ? K_ : K_ + h_; }
  Place<Butterfly> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t to = rank ^ bit(step);
    if (to != 0) packet(rank, step, [&](std::uint64_t s) { f(Part{to, s, 1, false}); });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = rank ^ bit(step);
    if (rank != 0) packet(from, step, [&](std::uint64_t s) { f(Part{from, s, 1, false}); });
  }

 private:
  std::uint64_t bit(std::uint64_t step) const { return std::uint64_t{1} << (step % h_); }

  /// Calls f with the packet that a rank may send in a step.
  template <typename F>
  void packet(std::uint64_t rank, std::uint64_t step, F f) const {
    if (rank == 0) {
      if (step < K_) f(step);
      return;
    }
    for (std::uint64_t i = 0; i < h_ && i < step; ++i) {
      const std::uint64_t s = step - 1 - i, j = s % h_;
      const std::uint64_t low = rank & ((std::uint64_t{1} << j) - 1);
      const std::uint64_t rotated = rank >> j | (j == 0 ? 0 : low << (h_ - j));
      if (s < K_ && rotated % 2 == 1 && rotated >> (i + 1) == 0) return f(s);
    }
  }

  std::uint64_t h_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BUTTERFLY_HPP
