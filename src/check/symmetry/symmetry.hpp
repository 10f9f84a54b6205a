#pragma once

// Checks by symmetry: where all ranks do the same, it is enough to check what one of them does.
//
// Theory. Let G be a group of P renamings of the ranks, of which exactly one takes rank 0 to each
// rank r: the rotations g_r(x) = x + r mod P; for P = 2^n, g_r(x) = x xor r; for even P, these
// rotations for even r and the reflections g_r(x) = r - x mod P for odd r; or, for ranks in rows
// and columns, the translations of a torus, which add the row of r to that of x, and its column to
// that of x. G also renames the chunks: block b becomes block g(b), the block of origin o for
// destination d that of g(o) for g(d); the chunks of an allreduce stay as they are, or are P
// blocks. Chunks within a block keep their order. Call a step symmetric if its transfers are the
// same after each renaming: with (s, d, c) it has (g(s), g(d), g(c)), as often, for each g.
//
// Let the problem and the machine be the same after renaming: every rank g(r) starts with the
// images of what r starts with and must end with the images of what r must end with, and all have
// the same ports. If every step is symmetric, then after every step the state of rank g(r) is the
// image of the state of rank r, where the contribution of rank x to a chunk becomes that of g(x).
// Proof by induction: it is so at the start. In a step, rank g(r) receives exactly the images of
// the transfers that r receives; what their senders g(s) hold are the images of what the senders s
// hold; so the same happens at both, renamed. As G reaches every rank from rank 0, every rank's
// state, messages, arrivals and queues are images of those of rank 0, and so is everything that a
// check could find. What rank 0 receives from s in this step is known from its own state, too: s
// sends the image under g_s of what rank 0 has of the chunk before renaming (RankHoldings).
//
// So a check by symmetry consists of a comparison of each step's transfers with one another, which
// reads them once, in order (Orbits), and of the usual checks of the transfers that rank 0 sends
// and receives, 2/P of them (of_rank_zero). In these steps the other ranks appear with some of
// their transfers: never with more than they have, so that no check finds anything there that is
// not there, and all that it would find at them it finds at rank 0. The figures of a report are
// sums over ranks that are alike, or maxima over them. It only shows that there is nothing to
// report: else, and where a step is not seen to be symmetric, all is done again (Abandoned).
//
// Where rows are made as the rotations of others (Steps::rotations), no row is made or compared:
// rank 0's transfers follow from those others, and where blocks are moved alike the first one is
// enough (one_block.hpp).
//
// On a network the links have to be alike, too, which they are on trees (tree_exchange.hpp), and
// so have the channels of a machine, which they are on tori (torus.hpp).
//
// agreement is the only property that compares ranks. If sums are completed by one addition for
// each chunk, all are copies of its result. If every rank completes its own, as in a recursive
// doubling, see SumStabilizers.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/runs.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// A group of renamings of ranks and chunks: g_0, which changes nothing, to g_(P-1).
class Symmetry {
 public:
  enum class Group : std::uint8_t { rotations, exclusive_ors, reflections, translations };

  /// `coordinates`: the ranks that the number of a block consists of, 0 to 2, with translations 0
  /// or 1. With 0 no chunk is renamed. `block`: the chunks of a block. P is 2 or more; for
  /// exclusive_ors a power of two, for reflections even; for translations a multiple of `columns`,
  /// the ranks of a row.
  Symmetry(Group group, Rank ranks, unsigned coordinates, std::uint32_t block, Rank columns = 1);

  Group group() const { return group_; }
  Rank ranks() const { return ranks_; }
  Rank columns() const { return columns_; }
  unsigned coordinates() const { return coordinates_; }
  std::uint32_t block() const { return block_; }
  std::uint64_t chunks() const { return chunks_; }

  /// The rank r with g_r = inverse of g_by.
  Rank inverse(Rank by) const {
    if (by == 0 || group_ == Group::exclusive_ors || reflects(by)) return by;
    if (group_ != Group::translations) return ranks_ - by;
    const Rank row = by / columns_, column = by % columns_;
    return (row == 0 ? 0 : ranks_ - row * columns_) + (column == 0 ? 0 : columns_ - column);
  }
  /// g_by(rank).
  Rank rename(Rank by, Rank rank) const {
    if (group_ == Group::exclusive_ors) return rank ^ by;
    if (reflects(by)) return rank > by ? by + (ranks_ - rank) : by - rank;
    if (group_ != Group::translations) return sum(rank, by, ranks_);
    const Rank column = rank % columns_, by_column = by % columns_;
    return sum(rank - column, by - by_column, ranks_) + sum(column, by_column, columns_);
  }
  /// Is g_by a reflection?
  bool reflects(Rank by) const { return group_ == Group::reflections && by % 2 == 1; }
  /// Does every renaming make one run of the chunks of this one? So it is for chunks of one block,
  /// and, with exclusive ors, for 2^i blocks that begin with a multiple of 2^i.
  bool keeps(const Run& run) const;
  /// g_by(run), for a run that it keeps.
  Run rename(Rank by, const Run& run) const;
  /// Calls f(part) for the parts of a run in single blocks; for the whole run if no chunk is
  /// renamed.
  template <typename F>
  void each_block(const Run& run, F f) const {
    if (coordinates_ == 0) return f(run);
    for (std::uint64_t c = run.first; c < end(run);) {
      const std::uint64_t until = std::min(end(run), (c / block_ + 1) * block_);
      f(Run{static_cast<Chunk>(c), static_cast<std::uint32_t>(until - c)});
      c = until;
    }
  }

 private:
  /// a + b modulo n; both are below it.
  static Rank sum(Rank a, Rank b, Rank n) { return a >= n - b ? a - (n - b) : a + b; }

  Group group_;
  Rank ranks_, columns_;
  unsigned coordinates_;
  std::uint32_t block_;
  std::uint64_t chunks_;
};

/// What is done with one block of an allgather, a broadcast from the rank of its number, or of a
/// reduce-scatter, a reduction to it; none for other collectives.
std::optional<Problem> of_one_block(const Problem& problem, Rank block);

/// Are rows made from seeds, each with its images under g_0, ..., g_(P-1)?
bool made_by(const Symmetry& symmetry, const Steps& rows);

/// The symmetries that the problem, which is valid, and the machine have, and that the first step
/// seems to have, too; none if checks by symmetry cannot make the checks that the options ask for.
std::vector<Symmetry> likely_symmetries(const Source& source, const Machine& machine,
                                        const CheckOptions& options);

}  // namespace schedcc
