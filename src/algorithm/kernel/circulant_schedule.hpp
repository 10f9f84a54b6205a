#ifndef SCHEDCC_LOCAL_CIRCULANT_SCHEDULE_HPP
#define SCHEDCC_LOCAL_CIRCULANT_SCHEDULE_HPP

// Träff's round-optimal broadcast schedule on a circulant graph, for one rank in O(log P).
//
// Idea. Subtract from r the largest skip that fits, then the next: the skips used are D(r), the
// smallest of them is r's baseblock b, and the root's baseblock counts as q. Broadcast along D
// alone is a binomial tree in which b is the one new block a rank gets in the first phase; from
// then on rank r must get one block of every residue mod q per phase. The paper's rule is: in round
// k take the largest baseblock found at ranks (r - s_{k+1}, r - s_k] and not taken before; or if
// there is none, the one at r - s_{k+1}.
//
// Call F_k(r) the sum of the skips of D(r) that are s_k or larger (a point of level k). The points
// of level k cut the ranks into cells of length at most s_k; a cell of level k+1 is cut at its s_k,
// if it is that long. The results of the paper's rule follow from the position of r - s_k:
//
//   k in D(r).  Then F_k(r - s_k) = F_{k+1}(r), whose baseblock is the next skip of D(r) above k
//               (for the highest, that is the root's: the rank's own b).
//   otherwise   let m be the next skip of D(r) above k (or q: the root seen as rank P), and x the
//               sum of the skips of D(r) below k. The window lies at the end of a cell [0, s_m)
//               moved by F_{m+1}(r), so the result depends only on (m, x, k). If all skips were
//               even it would be k.
//
// Why not always k: halving an odd skip loses a rank, so the last cell of level k in [0, s_m) is
// C(m) - C(k) short of s_k, where C counts odd skips. Only a rank with x below that is affected; it
// gets the blocks of the gap between two skips of D(r) in another order: k + 1 in round k, for all
// k with C(m) - C(k+1) > x, and in the next round the remaining one. If s_k is itself no more than
// about q, cells vanish and the order has no formula, but then the window is small enough to
// search. There are at most C(m) < q such x for each m, hence q^2/2 rows of q values, computed once
// per graph; for any other x row() gives the plain 0, 1, 2, ...
//
// Sending is the same from the side of r: either r + s_k is still in r's cell of level k+1, so k is
// in D(r + s_k) and the block is the next skip of D(r) above k; or it passes the end of that cell,
// to the point s_m of a higher level, at distance x, and the block is in the row of (m, x). So one
// walk down the skips that keeps r's remainder and the cell ends above r gives both arrays;
// no neighbour's schedule is computed, and nothing is searched. (A cell beyond that end can be
// so short that it is passed too; then the next end counts. Two such in a row never occurred.)
//
// Why a broadcast repeats nothing: virtual rounds precede it so that the last q rounds are one
// whole phase, with offset n - 1. In it a rank gets q - 1 of the blocks n - 1 - q .. n - 2, and one
// block beyond them, n - 1 + b, which means n - 1; in the phases before, all are below n - 1. Sends
// to the root are dropped, so each of n blocks moves exactly P - 1 times.
//
// Cost: one step per skip, O(log P) time, no allocation; once per graph O(log^3 P).
// Source: J. L. Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications to
// Broadcast, All-Broadcast, Reduction and All-Reduction, doi 10.1145/3735139 (arXiv 2407.18004):
// skips, baseblocks, the rule for receiving and the phases. The rows and the walk are schedcc's
// own.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// The schedule of one rank for the q rounds of a phase, relative to root 0.
///
/// A value v means block v + (rounds of the previous phases); in the first phase a negative one
/// means no block. Entries at k >= q mean nothing.
struct CirculantSchedule {
  std::array<std::int8_t, 64> recv;  ///< recvblock[k]: comes from (r - s_k) mod P.
  std::array<std::int8_t, 64> send;  ///< sendblock[k]: goes to (r + s_k) mod P.
  int baseblock;                     ///< b, the one block of the first phase; q for the root.
};

// Round i of a broadcast of n >= 1 blocks, n + q < 2^63, on a graph with q skips.

/// The virtual rounds before the first.
template <typename N>
constexpr N circulant_virtual(N n, std::uint64_t q) {
  return (N(q) - (n - N(1)) % N(q)) % N(q);
}
/// The round's position in its phase: the skip that it uses.
template <typename N>
constexpr N circulant_place(N i, N n, std::uint64_t q) {
  return (i + circulant_virtual(n, q)) % N(q);
}
/// The block of a schedule's value in round i, at place k: value + i - k, blocks beyond n - 1
/// meaning n - 1. (It is value + q that is given: unsigned.) There is one if value + i >= k.
template <typename N>
constexpr auto circulant_sends(N value_q, N i, N k, std::uint64_t q) {
  return !(value_q + i < k + N(q));
}
template <typename N>
constexpr N circulant_block(N value_q, N i, N k, N n, std::uint64_t q) {
  const N block = value_q + i - k - N(q);
  return choose(block < n - N(1), block, n - N(1));
}
template <typename N>
constexpr N circulant_steps(N n, std::uint64_t q) {
  return n - N(1) + N(q);
}

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

  /// Rounds of a broadcast of n >= 1 blocks: n - 1 + q, or none for a single rank.
  std::uint64_t rounds(std::uint64_t n) const;

  /// Ranks first, first + 1, ..., which all receive the value `value_q` - q.
  struct Receivers {
    std::uint64_t first, count, value_q;
  };
  /// Calls f(Receivers) for all ranks but 0 that receive a value of at least `least` - q in round k
  /// of a phase, in no order. Takes O(log P) and O(1) for each call.
  template <typename F>
  void each_receiver(int k, std::uint64_t least, F f) const;

  /// The rank that rank r sends to with skip s_k. Rank 0 means: do not send.
  std::uint64_t target(std::uint64_t r, int k) const;

  /// The rank that rank r receives from with skip s_k. Rank 0 never receives.
  std::uint64_t source(std::uint64_t r, int k) const;

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  static int highest_bit(std::uint64_t bits) { return 63 - std::countl_zero(bits); }

  /// The value that the rank s_m + x receives in round k, for the k < m with s_k > x; m = q is the
  /// rank x.
  const std::int8_t* row(int m, std::uint64_t x) const;

  /// The ranks base .. base + length - 1 of a cell, whose skips D agree down to `above`.
  struct Cell {
    std::uint64_t base, length;
    int above;
  };
  /// Calls f(Cell) for the cells of level `to` in a cell of level `from`, but only for those whose
  /// skips within it are `lowest` or above.
  template <typename F>
  void each_cell(Cell cell, int from, int to, std::uint64_t lowest, F& f) const;
  /// For each_receiver, of a cell of level k + 1, which is not that of rank 0, or the ranks below
  /// s_k of that ...
  template <typename F>
  void receivers_of_cell(const Cell& cell, int k, std::uint64_t least, F& f) const;
  /// ... and of the ranks that use s_k first: they receive their baseblock, if it is at least
  /// `lowest`.
  template <typename F>
  void receivers_of_baseblocks(int k, std::uint64_t lowest, F& f) const;

  int baseblock(std::uint64_t r) const;
  void fill_row(int m, std::uint64_t x, const std::vector<int>& tail, std::int8_t* values) const;

  int q_ = 0;
  std::array<std::uint64_t, 65> skip_{};    ///< s_0 .. s_q.
  std::array<std::uint32_t, 65> odd_{};     ///< C(k): how many of s_1 .. s_k are odd.
  std::array<std::uint32_t, 65> row_at_{};  ///< Where the rows of m begin, in values_.
  std::vector<std::int8_t> values_;         ///< Rows of q values: x = 0 .. C(m) for each m.
};

inline CirculantGraph::CirculantGraph(std::uint64_t P) : q_(64 - std::countl_zero(P - 1)) {
  skip_[at(q_)] = P;
  for (int k = q_; k > 0; --k) skip_[at(k - 1)] = ceil_div(skip(k), 2);
  for (int k = 1; k <= q_; ++k) odd_[at(k)] = odd_[at(k - 1)] + (skip(k) % 2 == 1 ? 1 : 0);

  const std::size_t width = at(q_);
  std::size_t rows = 0;
  for (int m = 0; m <= q_; ++m) {
    row_at_[at(m)] = static_cast<std::uint32_t>(rows * width);
    rows += odd_[at(m)] + 1;
  }
  values_.resize(rows * width);
  for (int m = 0; m <= q_; ++m) {
    // tail[d] is the baseblock of rank s_m - d. Windows beyond 4q have s_k > q + 1: formulas hold.
    std::vector<int> tail(1);
    const std::uint64_t length =
        odd_[at(m)] == 0 ? 0 : std::min(skip(m) - 1, 4 * std::uint64_t(q_));
    for (std::uint64_t d = 1; d <= length; ++d) tail.push_back(baseblock(skip(m) - d));
    std::int8_t* values = values_.data() + row_at_[at(m)];
    for (std::uint64_t x = 0; x <= odd_[at(m)]; ++x, values += width) fill_row(m, x, tail, values);
  }
}

inline int CirculantGraph::baseblock(std::uint64_t r) const {
  int k = q_;
  while (r != 0) {
    --k;
    if (r >= skip(k)) r -= skip(k);
  }
  return k;
}

/// The paper's rule for the gap below s_m of the rank s_m + x (see the head of this file).
inline void CirculantGraph::fill_row(int m, std::uint64_t x, const std::vector<int>& tail,
                                     std::int8_t* values) const {
  for (int k = 0; k < q_; ++k) values[k] = static_cast<std::int8_t>(k - q_);
  const std::uint64_t shortfall = odd_[at(m)];
  if (x >= shortfall) return;

  int low = 0;  // The gap is low .. m-1: x itself uses a skip below it.
  while (low < m && skip(low) <= x) ++low;
  std::uint64_t available = 0;
  for (int k = low; k < m; ++k) available |= std::uint64_t{1} << k;

  for (int k = low; k < m; ++k) {
    const std::uint64_t end = skip(k + 1) - x;  // The window is s_m - d with s_k - x <= d < end.
    std::uint64_t found = 0;
    if (end <= tail.size()) {
      for (std::uint64_t d = skip(k) - x; d < end; ++d) found |= std::uint64_t{1} << tail[d];
    } else if (shortfall - odd_[at(k + 1)] > x) {
      found = std::uint64_t{2} << k;
    }
    found &= available;
    if (found == 0 && end < tail.size()) found = (std::uint64_t{1} << tail[end]) & available;
    const int block = found != 0 ? highest_bit(found) : std::countr_zero(available);
    values[k] = static_cast<std::int8_t>(block - q_);
    available &= ~(std::uint64_t{1} << block);
  }
}

inline const std::int8_t* CirculantGraph::row(int m, std::uint64_t x) const {
  const std::uint64_t plain = odd_[at(m)];
  return values_.data() + row_at_[at(m)] + std::min(x, plain) * at(q_);
}

inline CirculantSchedule CirculantGraph::schedule(std::uint64_t r) const {
  CirculantSchedule result;
  // Cell ends above r, the nearest one last: the distance, and the skip that ends there.
  std::array<std::uint64_t, 66> distance;
  std::array<int, 66> ends_at;
  std::size_t top = 1;
  distance[0] = ~std::uint64_t{0};
  distance[1] = skip(q_) - r;
  ends_at[1] = q_;

  std::uint64_t rest = r;  // r - F_k(r)
  int above = q_;          // Lowest skip of D(r) that is k or higher.
  for (int k = q_ - 1; k >= 0; --k) {
    const std::uint64_t s = skip(k);
    const auto next = static_cast<std::int8_t>(above - q_);

    std::size_t cell = top;
    while (s >= distance[cell - 1]) [[unlikely]]-- cell;
    const std::int8_t passing = row(ends_at[cell], s - distance[cell])[k];
    result.send[at(k)] = s < distance[cell] ? next : passing;

    const bool used = rest >= s;  // k in D(r)
    const std::int8_t regular = row(above, rest)[k];
    result.recv[at(k)] = used ? next : regular;

    const std::uint64_t gap = s - rest;
    const bool cut = !used && gap < distance[top];
    distance[top + 1] = gap;
    ends_at[top + 1] = k;
    top += cut ? 1 : 0;
    above = used ? k : above;
    rest -= used ? s : 0;
  }

  // After the highest skip is the root: value 0 so far, which no other case gives.
  result.baseblock = above;
  const auto base = static_cast<std::int8_t>(above);
  for (int k = 0; k < q_; ++k) {
    if (result.recv[at(k)] == 0) result.recv[at(k)] = base;
    if (result.send[at(k)] == 0) result.send[at(k)] = r == 0 ? static_cast<std::int8_t>(k) : base;
  }
  return result;
}

template <typename F>
void CirculantGraph::each_cell(Cell cell, int from, int to, std::uint64_t lowest, F& f) const {
  for (int k = from - 1; k >= to; --k) {
    const std::uint64_t s = skip(k);
    if (cell.length <= s) continue;
    if (at(k) >= lowest) each_cell({cell.base + s, cell.length - s, k}, k, to, lowest, f);
    cell.length = s;
  }
  f(cell);
}

template <typename F>
void CirculantGraph::receivers_of_cell(const Cell& cell, int k, std::uint64_t least, F& f) const {
  const auto call = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t value_q) {
    if (cell.base + begin == 0) ++begin;  // not rank 0
    if (begin < end && value_q >= least) f(Receivers{cell.base + begin, end - begin, value_q});
  };
  const std::uint64_t q = at(q_), unused = std::min(cell.length, skip(k));
  const std::uint64_t special = std::min<std::uint64_t>(unused, odd_[at(cell.above)]);
  for (std::uint64_t x = 0; x < special; ++x)
    call(x, x + 1, q + static_cast<std::uint64_t>(row(cell.above, x)[k]));
  call(special, unused, at(k));
  if (cell.above < q_) call(unused, cell.length, at(cell.above));
}

template <typename F>
void CirculantGraph::receivers_of_baseblocks(int k, std::uint64_t lowest, F& f) const {
  const auto point = [&](const Cell& cell) { f(Receivers{cell.base, 1, at(q_) + at(cell.above)}); };
  const int level = static_cast<int>(lowest);
  if (level <= k) each_cell({skip(k), skip(k + 1) - skip(k), k}, k, level, lowest, point);
}

/// A cell whose skips go down to one below `least` has no such receivers: their values are skips in
/// it, or of gaps below them.
template <typename F>
void CirculantGraph::each_receiver(int k, std::uint64_t least, F f) const {
  const std::uint64_t q = at(q_);
  if (least < q) {
    const auto visit = [&](const Cell& cell) { receivers_of_cell(cell, k, least, f); };
    each_cell({0, skip(q_), q_}, q_, k + 1, least, visit);
  }
  receivers_of_baseblocks(k, least < q ? 0 : least - q, f);
}

inline std::uint64_t CirculantGraph::rounds(std::uint64_t n) const {
  return q_ == 0 ? 0 : circulant_steps(n, at(q_));
}

inline std::uint64_t CirculantGraph::target(std::uint64_t r, int k) const {
  const std::uint64_t left = skip(q_) - r;
  return skip(k) < left ? r + skip(k) : skip(k) - left;
}

inline std::uint64_t CirculantGraph::source(std::uint64_t r, int k) const {
  return r >= skip(k) ? r - skip(k) : r + (skip(q_) - skip(k));
}

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULANT_SCHEDULE_HPP
