#ifndef SCHEDCC_LOCAL_SWING_HPP
#define SCHEDCC_LOCAL_SWING_HPP

// Swing and Bine on P = 2^h ranks: in step i rank v has the partner E_i(v) = v + rho(i) if it is
// even, v - rho(i) if it is odd, with rho(i) = 1 - 2 + 4 - ... = (1 - (-2)^(i+1))/3.
//
// Which blocks a rank holds. rho(i) is odd, so an exchange changes the parity, and two of them, i <
// j, move a rank by +-(rho(i) - rho(j)), a multiple of 2^(i+1). The allgather exchanges over the
// distances i = h-1, ..., 0. Before step i a rank has the blocks of 2^(h-1-i) ranks: those that an
// even number of the exchanges h-1, ..., i+1 take to it, which differ from it by multiples of
// 2^(i+2), and are as many as there are such multiples, so all of them; and those of odd numbers,
// E_(i+1) and then such a multiple. So they are two arithmetic progressions.
//
// Bine's tree. The ranks that are reached from rank 0 by the exchanges h-1, ..., i are likewise
// those that are 0 or rho(i) modulo 2^(i+1), from which a rank finds the exchange that reaches it;
// in all later ones it sends. Below it, or itself, are the ranks that the exchanges i-1, ..., 0
// take it to: an interval of 2^i ranks, which begins a_i before an even rank and, mirrored, ends
// a_i after an odd one. As rho(j) > 0 for even j, those of an even rank are extended upwards by
// even j, by 2^j, and downwards by odd ones: a_i = 2 + 8 + 32 + ... < 2^i.
//
// Bine's total exchange. The blocks for a rank take its tree to it, in the steps i = 0, ..., h-1: a
// rank passes on to its partner those of the origins below it, or itself, for all ranks whose trees
// reach the partner by the exchanges before, which are those whose blocks it has in the allgather.
//
// Source: De Sensi et al. 2024, arXiv 2401.09356 (Swing); 2025, doi 10.1145/3712285.3759835 (Bine).

#include "algorithm/kernel/blocks.hpp"
#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// The partner in step i of position `place` on a ring of even length `side`: rho(i) ahead of even
/// positions and behind odd ones; `down` exchanges the two.
constexpr std::uint64_t swing_partner(std::uint64_t place, std::uint64_t i, std::uint64_t side,
                                      bool down = false) {
  // |rho(i)| = (2^(i+1) + (-1)^i)/3 is positive for even i.
  const std::uint64_t distance = (((std::uint64_t{2} << i) + (i % 2 == 0 ? 1 : 0)) / 3) % side;
  const bool up = ((i % 2 == 0) == (place % 2 == 0)) != down;
  return (place + (up ? distance : side - distance)) % side;
}

/// Calls g(first, stride), for blocks first, first + stride, ... below P, on those that a rank
/// holds before exchange i of the allgather.
template <typename G>
constexpr void swing_held(std::uint64_t rank, std::uint64_t i, std::uint64_t P, G g) {
  const std::uint64_t stride = std::uint64_t{4} << i;
  g(rank % stride, stride);
  if (i + 1 < ceil_log(2, P)) g(swing_partner(rank, i + 1, P) % stride, stride);
}

/// The first of the 2^i ranks, modulo P, that are below a rank that exchange i reaches, or itself.
constexpr std::uint64_t bine_below(std::uint64_t rank, std::uint64_t i, std::uint64_t P) {
  const std::uint64_t size = std::uint64_t{1} << i, before = 0xAAAAAAAAAAAAAAAA & (size - 1);
  return sub_mod(rank, rank % 2 == 0 ? before : size - 1 - before, P);
}

/// The allgather of a vector of `total` chunks on P = 2^h ranks.
class SwingAllgather {
 public:
  SwingAllgather(std::uint64_t P, std::uint64_t total) : blocks_{total, P} {}

  std::uint64_t total() const { return blocks_.total; }
  std::uint64_t steps() const { return ceil_log(2, blocks_.P); }
  RankSchedule<SwingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The exchange, i.
  std::uint64_t step_data(std::uint64_t step) const { return steps() - 1 - step; }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t i, F f) const {
    held(rank, i, swing_partner(rank, i, blocks_.P), f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t i, F f) const {
    const std::uint64_t from = swing_partner(rank, i, blocks_.P);
    held(from, i, from, f);
  }

 private:
  /// What a rank holds before exchange i.
  template <typename F>
  void held(std::uint64_t rank, std::uint64_t i, std::uint64_t peer, F f) const {
    swing_held(rank, i, blocks_.P, [&](std::uint64_t first, std::uint64_t stride) {
      progression(first, stride, peer, f);
    });
  }
  template <typename F>
  void progression(std::uint64_t block, std::uint64_t stride, std::uint64_t peer, F f) const {
    for (; block < blocks_.P; block += stride) {
      const std::uint64_t empty = blocks_.empty_in_turn(block, stride);
      if (empty > (blocks_.P - 1 - block) / stride) return;
      block += empty * stride;
      blocks_.send(peer, block, 1, f);
    }
  }

  Blocks blocks_;
};

/// Whole vectors of K chunks, in an allreduce on P = 2^h ranks.
class SwingVectors {
 public:
  SwingVectors(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  RankSchedule<SwingVectors> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t i, F f) const {
    f(RankTransfer{swing_partner(rank, i, P_), 0, K_, true});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t i, F f) const {
    sends(rank, i, f);
  }

 private:
  std::uint64_t P_, K_;
};

/// Bine's tree from rank 0 on P = 2^h ranks: a broadcast of K chunks, or with `blocks` a scatter of
/// P blocks of K chunks.
class BineTree {
 public:
  BineTree(std::uint64_t P, std::uint64_t K, bool blocks) : P_(P), K_(K), blocks_(blocks) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  std::uint64_t chunks() const { return K_; }
  bool in_blocks() const { return blocks_; }

  Flows at(std::uint64_t rank) const {
    Flows own;
    std::uint64_t i = steps();
    if (rank > 0) {
      i = reached_in(rank);
      add(i, swing_partner(rank, i, P_), rank, own.received);
    }
    while (i-- > 0) {
      const std::uint64_t to = swing_partner(rank, i, P_);
      add(i, to, to, own.sent);
    }
    return own;
  }

 private:
  /// The exchange that reaches a rank other than 0.
  std::uint64_t reached_in(std::uint64_t rank) const {
    std::uint64_t i = steps() - 1;
    while (!reaches(i, rank)) --i;
    return i;
  }
  /// Do the exchanges down to i take rank 0 to a rank?
  bool reaches(std::uint64_t i, std::uint64_t rank) const {
    const std::uint64_t period = std::uint64_t{2} << i, rest = rank % period;
    return rest == 0 || rest == swing_partner(0, i, P_) % period;
  }
  /// What a rank receives in exchange i.
  void add(std::uint64_t i, std::uint64_t peer, std::uint64_t receiver,
           std::vector<Flow>& flows) const {
    const auto chunks = [&](std::uint64_t first, std::uint64_t count) {
      if (count > 0) flows.push_back({peer, steps() - 1 - i, 1, 1, first, 1, count});
    };
    if (!blocks_) return chunks(0, K_);
    const std::uint64_t size = std::uint64_t{1} << i, first = bine_below(receiver, i, P_);
    const std::uint64_t fits = std::min(size, P_ - first);
    chunks(first * K_, fits * K_);
    chunks(0, (size - fits) * K_);
  }

  std::uint64_t P_, K_;
  bool blocks_;
};

/// Bine's total exchange of blocks of K chunks on P = 2^h ranks.
class BineExchange {
 public:
  BineExchange(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  std::uint64_t chunks() const { return K_; }
  RankSchedule<BineExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t i, F f) const {
    const std::uint64_t to = swing_partner(rank, i, P_);
    blocks(rank, to, i, to, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t i, F f) const {
    const std::uint64_t from = swing_partner(rank, i, P_);
    blocks(from, rank, i, from, f);
  }

 private:
  template <typename F>
  void blocks(std::uint64_t sender, std::uint64_t receiver, std::uint64_t i, std::uint64_t peer,
              F f) const {
    const std::uint64_t first = bine_below(sender, i, P_);
    swing_held(receiver, i, P_, [&](std::uint64_t destination, std::uint64_t stride) {
      for (; destination < P_; destination += stride) {
        for (std::uint64_t n = 0; n < std::uint64_t{1} << i; ++n)
          f(RankTransfer{peer, (add_mod(first, n, P_) * P_ + destination) * K_, K_, false});
      }
    });
  }

  std::uint64_t P_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SWING_HPP
