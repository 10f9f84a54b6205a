#pragma once

// A problem as the encodings see it: the sources and goals of each chunk.

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "schedcc/problem.hpp"

namespace schedcc::prover {

/// The nodes at which a chunk, or a contribution to it, starts, and those that want it.
struct Delivery {
  std::vector<Rank> sources;  ///< ascending
  std::vector<Rank> goals;    ///< ascending; of copies, without the sources
  bool reduced = false;       ///< each source has a contribution of its own

  bool starts_at(Rank v) const { return std::ranges::binary_search(sources, v); }
  bool wanted_by(Rank v) const { return std::ranges::binary_search(goals, v); }

  bool operator<(const Delivery& other) const {
    return std::tie(sources, goals, reduced) < std::tie(other.sources, other.goals, other.reduced);
  }
};

/// The chunks of a collective.
std::vector<Delivery> deliveries(const Problem& problem);

/// Does `goal`, which wants a chunk that is reduced, want the contribution of `source` in it?
bool requires_contribution(const Problem& problem, Rank goal, Rank source);

/// Reductions in any order: the chunks of the problem without reductions whose schedules, reversed
/// in time on a machine with reversed arcs, are exactly those of this one. None if a chunk has
/// several goals, or if some are copied.
std::optional<std::vector<Delivery>> dual(const Problem& problem);

}  // namespace schedcc::prover
