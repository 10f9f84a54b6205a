#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcc {

/// What one rank does in the q rounds of a phase, relative to root 0.
///
/// A value v stands for block v + (rounds of the phases before); in the first phase a negative one
/// is no block at all. Entries at k >= q mean nothing.
struct CirculantSchedule {
  std::array<std::int8_t, 64> recv;  ///< recvblock[k]: comes from (r - s_k) mod P.
  std::array<std::int8_t, 64> send;  ///< sendblock[k]: goes to (r + s_k) mod P.
  int baseblock;                     ///< b, the one block of the first phase; q for the root.
};

/// Where a round of a broadcast of n blocks stands: its skip, and what to add to a schedule's
/// value.
struct CirculantRound {
  int k;                ///< The round uses skip s_k.
  std::int64_t offset;  ///< Value v means block v + offset.
  std::int64_t last;    ///< n - 1: later blocks mean this one.

  /// The block a schedule's value names in this round; negative for none.
  std::int64_t block(int value) const {
    const std::int64_t j = value + offset;
    return j < last ? j : last;
  }
};

/// Träff's circulant graph on P ranks, with round-optimal broadcast schedules from rank 0.
class CirculantGraph {
 public:
  /// P >= 1; every 64-bit P is served. Costs O(log^3 P) time and space, once per graph.
  explicit CirculantGraph(std::uint64_t P);

  /// ceil(log2 P): rounds in a phase, neighbours of a rank.
  int q() const { return q_; }

  /// s_k for 0 <= k <= q; s_q = P.
  std::uint64_t skip(int k) const { return skip_[static_cast<std::size_t>(k)]; }

  /// Both schedules of rank r < P, in O(log P).
  CirculantSchedule schedule(std::uint64_t r) const;

  /// Rounds a broadcast of n >= 1 blocks takes: n - 1 + q, or none if there is nobody to tell.
  std::uint64_t rounds(std::uint64_t n) const;

  /// Round i < rounds(n) of a broadcast of n >= 1 blocks, n + q < 2^63. Needs P >= 2.
  CirculantRound round(std::uint64_t i, std::uint64_t n) const;

  /// Whom rank r sends to with skip s_k. Rank 0 as an answer means: do not send.
  std::uint64_t target(std::uint64_t r, int k) const;

  /// Whom rank r receives from with skip s_k. Rank 0 never receives.
  std::uint64_t source(std::uint64_t r, int k) const;

 private:
  /// What the rank s_m + x receives in round k, for the k < m with s_k > x; m = q is the rank x.
  const std::int8_t* row(int m, std::uint64_t x) const;

  int baseblock(std::uint64_t r) const;
  void fill_row(int m, std::uint64_t x, const std::vector<int>& tail, std::int8_t* values) const;

  int q_ = 0;
  std::array<std::uint64_t, 65> skip_{};    ///< s_0 .. s_q.
  std::array<std::uint32_t, 65> odd_{};     ///< C(k): how many of s_1 .. s_k are odd.
  std::array<std::uint32_t, 65> row_at_{};  ///< Where the rows of m begin, in values_.
  std::vector<std::int8_t> values_;         ///< Rows of q values: x = 0 .. C(m) for each m.
};

}  // namespace schedcc
