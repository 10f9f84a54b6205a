#pragma once

// The causes of the errors of a chunk.
//
// The cause of a missing or an excess contribution is a transfer without which, or with a reduction
// in place of a copy, a replay of the history does not have the error. If there is no such
// transfer, one is missing, and the finding states how far the chunk, or the contribution, came.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/rank_sets.hpp"
#include "check/provenance/replay.hpp"

namespace schedcc::provenance {

struct Cause {
  enum class Kind : std::uint8_t {
    overwritten,  ///< a copy (`move`) replaces contributions that arrive by no
                  ///< other path
    twice,        ///< contributions are counted twice: `move` brings them, `other` is where
                  ///< they meet
    unwanted,     ///< `move` brings contributions that must not be included there
    stuck,        ///< `node` has contributions, by `move` if they are not its own, and
                  ///< keeps them
    undelivered,  ///< no transfer brings contributions to `node`
    absent,       ///< no transfer brings the chunk to `node`; `move` brings it to
                  ///< a node that does not need it
    early,        ///< `node` sends it before it arrives (by `move`)
    disorder,     ///< `move` leaves a gap between the contributions at `node`;
                  ///< `other` sends them
  };
  Kind kind;
  Rank node;
  std::optional<std::size_t> move = {}, other = {};
  std::optional<std::size_t> earlier = {};  ///< `twice`: what brings them first; none: its own
  /// `absent` without `move`: the last move that brings the chunk anywhere; none: its holders, who
  /// are the `contributors`, never send it.
  std::optional<std::size_t> last = {};
  Intervals contributors = {};               ///< whose contributions, ascending
  std::vector<Rank> goals = {};              ///< ranks that end without the chunk, or a wrong one
  std::vector<std::size_t> failing = {};     ///< transfers whose sender does not hold the chunk
  std::vector<std::size_t> disorderly = {};  ///< transfers of contributions that have a gap
};

/// A limit on the work: the moves that are replayed.
struct Budget {
  std::uint64_t left;
  bool spend(std::uint64_t moves) {
    if (left < moves) return false;
    left -= moves;
    return true;
  }
};

/// Senders without the chunk, and ranks that end without it. `suspects`: moves to be tried before
/// all others.
std::vector<Cause> absences(const Replay& replay, std::span<const std::size_t> suspects,
                            Budget& budget);

/// Contributions that are lost, counted twice, or in the wrong place, at ranks that end with the
/// chunk. `suspects`: moves to be tried before all others. False in `complete` if the budget did
/// not suffice.
std::vector<Cause> wrong_sums(const Replay& replay, std::span<const std::size_t> suspects,
                              Budget& budget, bool& complete);

/// Contributions that are sent although they are not an interval of ranks, where the order counts.
std::vector<Cause> gaps(const Replay& replay, Budget& budget, bool& complete);

}  // namespace schedcc::provenance
