#ifndef SCHEDCC_LOCAL_BLOCKS_HPP
#define SCHEDCC_LOCAL_BLOCKS_HPP

// A vector that is cut into blocks, one for each rank. If it has fewer chunks than there are ranks
// most blocks are empty, and a search can jump to the next one that is not: the c-th chunk, from 1
// on, is in block ceil(c P / total) - 1. The last block is never empty.

#include <cstdint>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// floor((a b - subtrahend) / c), which must fit in 64 bits.
inline std::uint64_t mul_div(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                             std::uint64_t subtrahend = 0) {
  if ((a | b) >> 32 == 0) return (a * b - subtrahend) / c;  // several times as fast
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{a} * b - subtrahend) / c);
}

/// a b modulo m.
inline std::uint64_t mul_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return a * b - mul_div(a, b, m) * m;  // modulo 2^64
}

/// The least n for which n d modulo m is one of l..u, or `never`; d < m, l <= u < m. If the first
/// multiple of d from l on is beyond u none is between them, and n d = m y + (one of l..u) for the
/// least y for which m y modulo d is one of -u..-l: a question of numbers as in Euclid's algorithm.
inline std::uint64_t first_multiple(std::uint64_t d, std::uint64_t m, std::uint64_t l,
                                    std::uint64_t u) {
  if (l == 0) return 0;
  if (d == 0) return never;
  const std::uint64_t n = ceil_div(l, d);
  if (n <= u / d) return n;
  const std::uint64_t y = first_multiple(m % d, d, d - 1 - (u - 1) % d, d - 1 - (l - 1) % d);
  if (y == never) return never;
  return mul_div(m, y, d) + ceil_div(mul_mod(m, y, d) + l, d);
}

/// `total` >= 1 chunks cut into P blocks whose sizes differ by at most 1: block b begins at
/// floor(b total / P).
struct Blocks {
  std::uint64_t total, P;
  /// Blocks have `each` chunks, or one more; all have as many if `rest` is 0, as in most problems,
  /// and then their begins take no division.
  std::uint64_t each = total / P, rest = total % P;

  std::uint64_t begin(std::uint64_t b) const {
    return b * each + (rest == 0 ? 0 : mul_div(b, rest, P));
  }

  /// Calls f with the chunks of blocks b .. b+count-1, unless there are none.
  template <typename F>
  void send(std::uint64_t peer, std::uint64_t b, std::uint64_t count, F f) const {
    const RankTransfer part{peer, begin(b), begin(b + count) - begin(b), false};
    if (part.count != 0) f(part);
  }
  /// How many empty blocks there are, starting with block b < P, up to the next one with chunks.
  std::uint64_t empty_from(std::uint64_t b) const {
    return total >= P ? 0 : block_of(begin(b) + 1) - b;
  }
  /// How many empty blocks there are from block b < P downwards, continuing at block P - 1.
  std::uint64_t empty_down_from(std::uint64_t b) const {
    if (total >= P) return 0;
    const std::uint64_t chunks = begin(b + 1);
    return chunks == 0 ? b + 1 : b - block_of(chunks);
  }
  /// The least n for which block b + n stride, counted around, has chunks, or `never`.
  std::uint64_t empty_in_turn(std::uint64_t b, std::uint64_t stride) const {
    if (total >= P) return 0;
    // A block has a chunk if its end, times P, is less than `total` beyond a multiple of P.
    const std::uint64_t end = mul_mod(b + 1, total, P);
    if (end < total) return 0;
    return first_multiple(mul_mod(stride, total, P), P, P - end, P - end + total - 1);
  }
  bool empty(std::uint64_t b) const { return empty_from(b) != 0; }

 private:
  /// The block of the c-th chunk, c = 1 .. total; total < P.
  std::uint64_t block_of(std::uint64_t c) const { return mul_div(c, P, total, 1); }
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BLOCKS_HPP
