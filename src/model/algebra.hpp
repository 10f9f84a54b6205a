#pragma once

// The algebra of schedules: each operation takes steps and returns steps, row by row, so that steps
// that are computed row by row stay so.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// First all of `first`, then all of `second`.
Steps sequence(Steps first, Steps second);
/// All of each part, one part after the other.
Steps sequence(std::vector<Steps> parts);

/// Every step `by` later.
Steps delay(Steps steps, std::uint64_t by);

/// All of `parts` at once: step t holds step t of every part, in the order of the parts. Their
/// ranks are disjoint, or their ports are free of each other; the checker verifies it.
Steps parallel(std::vector<Steps> parts);

/// `copies` copies of the same steps at once, copy i with each transfer changed by `edit(i,
/// Transfer&)`: the result of `parallel`, without holding the copies.
template <typename F>
Steps replicate(Steps steps, std::uint64_t copies, F edit) {
  const std::uint64_t size = steps.size();
  return Steps(size, [steps = std::move(steps), copies, edit = std::move(edit)](std::uint64_t row,
                                                                                Transfers& out) {
    const std::size_t begin = out.size();
    const std::uint64_t number = steps.fill(row, out);
    const std::size_t one = out.size() - begin;
    out.resize(begin + one * copies);
    for (std::uint64_t i = copies; i-- > 0;) {  // the original is the first copy, and goes last
      for (std::size_t k = 0; k < one; ++k) {
        Transfer& t = out[begin + i * one + k];
        t = out[begin + k];
        edit(i, t);
      }
    }
    return number;
  });
}

/// Packets distributed over several trees: packet j of tree i of m is packet j m + i of the whole.
/// Runs of packets become single ones.
Steps split(std::vector<Steps> trees);

/// Calls f(piece) for parts of a transfer that end where `until(chunk)` says, the first chunk
/// above `chunk` that differs from it.
template <typename Until, typename F>
void for_each_piece(const Transfer& whole, Until until, F f) {
  const std::uint64_t end = std::uint64_t{whole.first} + whole.count;
  for (std::uint64_t chunk = whole.first; chunk < end;) {
    const std::uint64_t next = std::min<std::uint64_t>(end, until(static_cast<Chunk>(chunk)));
    Transfer piece = whole;
    piece.first = static_cast<Chunk>(chunk);
    piece.count = static_cast<std::uint32_t>(next - chunk) & max_transfer_count;
    f(piece);
    chunk = next;
  }
}

/// The first chunk after the block of K chunks that `chunk` is in.
constexpr std::uint64_t end_of_block(Chunk chunk, std::uint64_t K) { return (chunk / K + 1) * K; }

/// For P^2 blocks (o, d) of K chunks, in this order: the chunk at the same place of block (d, o).
constexpr Chunk pair_exchanged(Chunk chunk, std::uint64_t P, std::uint64_t K) {
  const std::uint64_t block = chunk / K;
  return static_cast<Chunk>((block % P * P + block / P) * K + chunk % K);
}

/// The transfer back, as a reduction or a copy.
constexpr Transfer sent_back(const Transfer& t, bool reduce) {
  return {t.dst, t.src, t.first, t.count, reduce ? 1U : 0U};
}

/// Writes the rotations first..end-1 of a seed (Steps::rotations) to `to`.
void rotate(const Transfer& seed, const Steps::Rotations& made, Rank first, Rank end, Transfer* to);

/// Time and direction reversed: step t becomes step span()-1-t, src becomes dst. The transfers
/// become reductions or copies, as `reduce` says: the reverse of a broadcast is a reduction, that
/// of a scatter is a gather. What is made by rotations remains so.
Steps reverse(Steps steps, bool reduce);
inline Steps reverse_reducing(Steps steps) { return reverse(std::move(steps), true); }

/// Some parts of a row as Steps::read() returns them, but in `buffer`, where they can be changed,
/// and without lines of a file.
Step read_into(const Steps& steps, std::uint64_t row, const RowParts& parts, Transfers& buffer);

/// Every row changed by `edit(Transfer&)`. Rows that can be divided remain so.
template <typename F>
Steps each_transfer(Steps steps, F edit) {
  const std::uint64_t size = steps.size(), parts = steps.parts();
  const auto made = std::make_shared<const std::pair<Steps, F>>(std::move(steps), std::move(edit));
  const auto fill = [made](std::uint64_t row, Transfers& out) {
    const std::size_t begin = out.size();
    const std::uint64_t number = made->first.fill(row, out);
    for (std::size_t i = begin; i < out.size(); ++i) made->second(out[i]);
    return number;
  };
  if (parts == 1) return Steps(size, fill);
  return Steps(size, fill, parts,
               [made](std::uint64_t row, const RowParts& some, Transfers& buffer) {
                 const Step step = read_into(made->first, row, some, buffer);
                 for (Transfer& t : buffer) made->second(t);
                 return step;
               });
}

/// Ranks renamed by `map(Rank)`, a permutation of 0..P-1.
template <typename F>
Steps relabel(Steps steps, F map) {
  return each_transfer(std::move(steps), [map = std::move(map)](Transfer& t) {
    t.src = map(t.src);
    t.dst = map(t.dst);
  });
}

/// Chunk b of `steps`, which represents block b, replaced by the sizes[b] chunks of that block,
/// which follow those of block b - 1. Empty transfers are dropped, and steps without any, so that
/// later ones move up. Throws InputError where there are too many chunks.
Steps expand_blocks(Steps steps, const BlockSizes& sizes);

/// For `blocks` blocks of equal size, of `chunks` chunks each: the same for blocks of nearly equal
/// size of `total` chunks together, at most as many. Chunk i of a block becomes chunk i of its
/// block, or is left out where that has fewer. `move_up`: steps without transfers are dropped, so
/// that later ones move up; else they are idle.
Steps shrink_blocks(Steps steps, std::uint64_t blocks, std::uint64_t chunks, std::uint64_t total,
                    bool move_up);

/// Chunk numbers moved up by `shift` modulo `total`; a run that wraps around becomes two transfers.
Steps rotate_chunks(Steps steps, std::uint64_t shift, std::uint64_t total);

/// Ranks rotated, so that rank 0 becomes rank `root`, rank 1 becomes root + 1, ... modulo P;
/// chunks, if they belong to ranks, are moved by `shift` modulo `total`. Without a shift they are
/// left alone.
Steps reroot(Steps steps, std::uint64_t P, std::uint64_t root, std::uint64_t shift,
             std::uint64_t total);

}  // namespace schedcc
