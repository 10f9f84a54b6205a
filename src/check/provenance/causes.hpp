#pragma once

// The causes of the errors of a chunk.
//
// The cause of a missing or an excess contribution is a transfer without which, or with a reduction
// in place of a copy, a replay of the history does not have the error. If there is no such
// transfer, one is missing, and the finding states how far the chunk, or the contribution, came.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/rank_sets.hpp"
#include "check/provenance/replay.hpp"

namespace schedcc::provenance {

struct Cause {
  enum class Kind : std::uint8_t {
    overwritten,  ///< a copy (`transfer`) replaces contributions that arrive by no
                  ///< other path
    twice,  ///< contributions are counted twice, but for `transfer`; `other` brings them to a node
            ///< that has them already
    unwanted,     ///< `transfer` brings contributions that must not be included; or it adds to them
                  ///< where it should replace them (`adds`)
    stuck,        ///< `node` has contributions, by `transfer` if they are not its own, and
                  ///< keeps them
    undelivered,  ///< no transfer brings contributions to `node`
    absent,       ///< no transfer brings the chunk to `node`; `transfer` brings it to
                  ///< a node that does not need it
    early,        ///< `node` sends it before it arrives (by `transfer`)
    disorder,     ///< `transfer` leaves a gap between the contributions at `node`;
                  ///< `other` sends them
  };
  Kind kind;
  Rank node;
  std::optional<std::size_t> transfer = {}, other = {};
  std::optional<std::size_t> earlier = {};  ///< `twice`: what brings them first; none: its own
  /// `absent` without `transfer`: the last transfer that brings the chunk anywhere; none: its
  /// holders, who are the `contributors`, never send it.
  std::optional<std::size_t> last = {};
  Intervals contributors = {};               ///< whose contributions are wrong at `goal`, ascending
  std::vector<Rank> goals = {};              ///< ranks that end without the chunk, or a wrong one
  std::vector<std::size_t> failing = {};     ///< transfers whose sender does not hold the chunk
  std::vector<std::size_t> disorderly = {};  ///< transfers of contributions that have a gap
  std::optional<Rank> goal = {};             ///< wrong sums: the one of `goals` to be named
  bool adds = false;                         ///< `unwanted`: they were there before `transfer`
};

/// The goal of a wrong sum that messages name: `focus`, else the node where the error happens, else
/// the first.
inline Rank goal_to_name(const Cause& cause, std::optional<Rank> focus) {
  for (const Rank rank : {focus.value_or(cause.node), cause.node}) {
    if (std::ranges::binary_search(cause.goals, rank)) return rank;
  }
  return cause.goals.front();
}

/// A limit on the work: the transfers that are replayed.
struct Budget {
  std::uint64_t left;
  bool spend(std::uint64_t transfers) {
    if (left < transfers) return false;
    left -= transfers;
    return true;
  }
};

/// Senders without the chunk, and ranks that end without it. `suspects`: transfers to be tried
/// before all others.
std::vector<Cause> absences(const Replay& replay, std::span<const std::size_t> suspects,
                            Budget& budget);

/// Contributions that are lost, counted twice, or in the wrong place, at ranks that end with the
/// chunk. `suspects`: transfers to be tried before all others. `focus`: the rank that is asked
/// about; causes name what is wrong there, if anything is. False in `complete` if the budget did
/// not suffice.
std::vector<Cause> wrong_sums(const Replay& replay, std::span<const std::size_t> suspects,
                              std::optional<Rank> focus, Budget& budget, bool& complete);

/// Contributions that are sent although they are not an interval of ranks, where the order counts.
std::vector<Cause> gaps(const Replay& replay, Budget& budget, bool& complete);

}  // namespace schedcc::provenance
