#pragma once

// Groups of groups of ranks that exchange the packets of a broadcast.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/solve/dice.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The packets that a rank sends and receives in a step; -1: none.
struct Trade {
  std::int64_t sends = -1, receives = -1;
  friend bool operator==(const Trade&, const Trade&) = default;
};

/// What happens in a step.
struct NestedStep {
  std::vector<Trade> trades;         ///< by rank
  std::vector<std::size_t> trading;  ///< groups of several ranks that give or take a packet
};

/// For each group, which half leads: 0 or 1.
using LeadingHalves = std::vector<std::size_t>;

/// The ranks of a grid, cut in halves down to pairs, and which half of each leads when the first
/// step begins (nested_exchange.cpp). What all ranks send and receive follows from that.
class NestedGroups {
 public:
  /// At least two ranks; `packets`: their number.
  NestedGroups(const RankRows& grid, Rank root, std::uint64_t packets);

  /// Random ones; where a half has the root, that half.
  LeadingHalves random(Dice& dice) const;
  /// In `changes` of these groups, on average, and at least one, the other half leads from now on;
  /// never in one with the root.
  void change(LeadingHalves& leaders, const std::vector<std::size_t>& groups, double changes,
              Dice& dice) const;

  /// Step `now`, from 0 on. `leaders`: when it begins; becomes those when it is over.
  NestedStep step(std::uint64_t now, LeadingHalves& leaders) const;

 private:
  struct Group {
    std::uint64_t level;
    std::vector<Rank> ranks;
    std::array<std::size_t, 2> halves{};  ///< groups, unless it is one rank
    bool root;                            ///< is the root one of the ranks?
  };
  /// What a group gives to others and takes from them, and whether it leads.
  struct Part {
    std::size_t group;
    bool leads;
    std::int64_t gives, takes;
  };

  std::size_t add(std::vector<Rank> ranks, std::uint64_t level);
  std::size_t cut(std::vector<Rank>& ranks) const;
  void trade(const Part& part, std::int64_t now, LeadingHalves& leaders, NestedStep& step) const;
  std::int64_t sent(std::int64_t packet) const;

  RankRows grid_;
  Rank root_;
  Rank beside_root_ = 0;  ///< the other rank of the root's pair
  std::int64_t last_;     ///< packet
  std::vector<Group> groups_;
};

}  // namespace schedcc::prover
