#ifndef SCHEDCC_LOCAL_TRIVANCE_HPP
#define SCHEDCC_LOCAL_TRIVANCE_HPP

// Trivance on a ring of P ranks, L = ceil(log3 P): in the allgather's exchanges i = L-1, ..., 0
// ranks send to both sides at once, over the distance 3^i; in the first one over D = ceil((P -
// M)/2), with M = 3^(L-1).
//
// Which blocks a rank holds. Let its offset be the distance from a block's rank, upwards, modulo P.
// After the exchanges down to i the block is at the offsets
//
//     S_i = {0, D, -D} + {sums of digits -1, 0, 1 times 3^(L-2), ..., 3^i},
//
// three windows of multiples of 3^i around 0, D and -D. As integers S_0 goes from -(D + (M-1)/2) to
// D + (M-1)/2, and these are 2D + M numbers, P or P + 1: so no two of them are the same modulo P
// but perhaps the ends of S_0. With 3^a the largest power that divides D, the windows of S_i have
// no offset in common for i > a; for i <= a they make one progression without gaps, since D <= M.
//
// Who sends. Each rank gets the block once, from the holder that got it first among those at the
// distance, on either side. So a holder at offset x, one of S_(i+1), sends to x + 3^i unless that
// is one of S_(i+1), or is reached from x + 2*3^i by an earlier holder; and likewise downwards.
// Only in exchange a, from window to window, and in exchange 0, around the ring, can there be two
// such holders: else 2*3^i would be a multiple of 3^(i+1). There their windows have no offset in
// common.
//
// Who was earlier. A holder got the block in the exchange of its lowest digit that is not 0, from
// the one at the offset without it; holders of one exchange count in the order of those, upwards
// before downwards. So the digits, from the lowest up, decide where one of them is 0 and the other
// is not, and after them the windows, 0, D, -D.
//
// Source: "Trivance", arXiv 2602.17254; the trees: schedcc's own form of its blocks.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The distance of exchange i on a ring.
constexpr std::uint64_t trivance_distance(std::uint64_t P, std::uint64_t i) {
  const std::uint64_t d = power(3, i);
  return i + 1 == ceil_log(3, P) ? ceil_div(P - d, 2) : d;
}

/// The allgather of a vector of `total` chunks.
class TrivanceAllgather {
 public:
  TrivanceAllgather(std::uint64_t P, std::uint64_t total)
      : blocks_{total, P}, steps_(ceil_log(3, P)) {
    if (P == 1) return;
    M_ = power(3, steps_ - 1);
    D_ = trivance_distance(P, steps_ - 1);
    while (D_ % (3 * divisor_) == 0) divisor_ *= 3;
  }

  std::uint64_t total() const { return blocks_.total; }
  std::uint64_t steps() const { return steps_; }
  RankSchedule<TrivanceAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// An exchange, and the offsets of ranks that hold a block before it: the windows have multiples
  /// of `stride`, up to `reach` from their middles.
  struct Exchange {
    std::uint64_t distance, stride, reach;
    bool first;
  };
  Exchange step_data(std::uint64_t step) const {
    if (step == 0) return {D_, 1, 0, true};
    const std::uint64_t distance = power(3, steps_ - 1 - step);
    return {distance, 3 * distance, (M_ - 3 * distance) / 2, false};
  }
  template <typename F>
  void sends(std::uint64_t rank, const Exchange& e, F f) const {
    passed(rank, e, true, above(rank, e), f);
    passed(rank, e, false, below(rank, e), f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const Exchange& e, F f) const {
    passed(below(rank, e), e, true, below(rank, e), f);
    passed(above(rank, e), e, false, above(rank, e), f);
  }

 private:
  std::uint64_t above(std::uint64_t x, const Exchange& e) const {
    return add_mod(x, e.distance, blocks_.P);
  }
  std::uint64_t below(std::uint64_t x, const Exchange& e) const {
    return sub_mod(x, e.distance, blocks_.P);
  }

  /// The blocks that a rank sends up, or down.
  template <typename F>
  void passed(std::uint64_t sender, const Exchange& e, bool up, std::uint64_t peer, F f) const {
    const std::uint64_t P = blocks_.P, each = (2 * e.reach) / e.stride + 1;
    // By ascending blocks, which are at descending offsets.
    const auto window = [&](std::uint64_t last, std::uint64_t count) {
      std::uint64_t block = sub_mod(sender, last, P);
      for (std::uint64_t left = count; left > 0;) {
        const std::uint64_t empty = blocks_.empty_in_turn(block, e.stride);
        if (empty >= left) return;
        left -= empty;
        block = (block + empty * e.stride) % P;
        const std::uint64_t x = sub_mod(sender, block, P);
        std::uint64_t passed_over = still_held(up ? above(x, e) : below(x, e), e);
        if (passed_over == 0) {
          if (sent(x, e, up)) blocks_.send(peer, block, 1, f);
          passed_over = 1;
        }
        if (passed_over >= left) return;
        left -= passed_over;
        block = add_mod(block, passed_over * e.stride, P);
      }
    };
    if (e.first) return window(0, 1);
    if (e.stride <= divisor_) return window(D_ + e.reach, each + 2 * D_ / e.stride);
    for (std::uint64_t w = 0; w < 3; ++w) window(add_mod(middle(w), e.reach, P), each);
  }

  /// Does a holder at offset x send up, or down, to one that is in no window?
  bool sent(std::uint64_t x, const Exchange& e, bool up) const {
    const std::uint64_t to = up ? above(x, e) : below(x, e);
    const std::uint64_t other = up ? above(to, e) : below(to, e);
    if (other == x) return up;  // P = 2
    const Place there = place(other, e);
    return there.window == 3 || earlier(place(x, e), there);
  }

  /// The middles of the windows 0, 1, 2.
  std::uint64_t middle(std::uint64_t window) const {
    return window == 0 ? 0 : window == 1 ? D_ : blocks_.P - D_;
  }
  /// The window of an offset, 3 if it is in none, and how far it is from the middle.
  struct Place {
    std::uint64_t window, distance;
  };
  Place place(std::uint64_t x, const Exchange& e) const {
    for (std::uint64_t window = 0; window < (e.first ? 1 : 3); ++window) {
      const std::uint64_t up = sub_mod(x, middle(window), blocks_.P);
      const std::uint64_t distance = std::min(up, blocks_.P - up);
      if (distance <= e.reach && distance % e.stride == 0) return {window, distance};
    }
    return {3, 0};
  }
  /// How many offsets, downwards by the stride from x on, follow one another in a window.
  std::uint64_t still_held(std::uint64_t x, const Exchange& e) const {
    const std::uint64_t window = place(x, e).window, P = blocks_.P;
    if (window == 3) return 0;
    return sub_mod(x, sub_mod(middle(window), e.reach, P), P) / e.stride + 1;
  }
  /// A number and its negative have the same digits 0; (n + 1) / 3 is n without its lowest digit.
  static bool earlier(const Place& a, const Place& b) {
    for (std::uint64_t n = a.distance, m = b.distance; n + m > 0;
         n = (n + 1) / 3, m = (m + 1) / 3) {
      if ((n % 3 == 0) != (m % 3 == 0)) return n % 3 == 0;
    }
    return a.window < b.window;
  }

  Blocks blocks_;
  std::uint64_t steps_;
  std::uint64_t M_ = 1, D_ = 0, divisor_ = 1;  ///< 3^(L-1), D and 3^a
};

/// Whole vectors of K chunks, in an allreduce on P = 2 or 3^h ranks.
class TrivanceVectors {
 public:
  TrivanceVectors(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(3, P_); }
  RankSchedule<TrivanceVectors> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The distance.
  std::uint64_t step_data(std::uint64_t step) const { return trivance_distance(P_, step); }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t distance, F f) const {
    const std::uint64_t up = add_mod(rank, distance, P_), down = sub_mod(rank, distance, P_);
    f(RankTransfer{up, 0, K_, true});
    if (down != up) f(RankTransfer{down, 0, K_, true});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t distance, F f) const {
    sends(rank, distance, f);
  }

 private:
  std::uint64_t P_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_TRIVANCE_HPP
