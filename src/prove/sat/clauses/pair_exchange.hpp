#pragma once

// Broadcasts on grids in which pairs of neighbours exchange packets, as one formula for all steps.

#include <cstdint>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// Two neighbours, or one rank that is both.
struct RankPair {
  Rank first, second;
  friend bool operator==(const RankPair&, const RankPair&) = default;
};

/// The P ranks of a grid, 2^(q-1) < P <= 2^q, in 2^(q-1) pairs, in order along its longer side.
/// Those that are one rank are all over the grid.
std::vector<RankPair> rank_pairs(const RankRows& grid);

/// For groups of 2, 4, 8, ... neighbouring pairs: so many steps after step q they begin to be
/// mixed, each with one pair whose label is younger than those of the others. Fewer numbers: larger
/// groups never are.
using MixedFrom = std::vector<std::uint64_t>;

/// The formula of which every model is a schedule for a broadcast by one port on a grid, in
/// exchange_steps (exchange_run.hpp), in which these pairs exchange packets, in mixed groups. It
/// has no model if the chunks are not those of such a broadcast, if the instance has fewer steps,
/// or if it would be large.
Encoding encode_pair_exchange(const Instance& instance, const std::vector<Delivery>& chunks,
                              const RankRows& grid, const MixedFrom& mixed_from,
                              const PollLimits& poll_limits);

}  // namespace schedcc::prover
