#include "prove/sat/exchange/nested_groups.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

namespace schedcc::prover {

NestedGroups::NestedGroups(const RankRows& grid, Rank root, std::uint64_t packets)
    : grid_(grid), root_(root), last_(static_cast<std::int64_t>(packets) - 1) {
  std::vector<Rank> all(grid.rows * grid.columns);
  std::iota(all.begin(), all.end(), Rank{0});
  const auto level = static_cast<std::uint64_t>(std::bit_width(all.size() - 1));
  add(std::move(all), level);
  const auto pair = std::ranges::find_if(
      groups_, [](const Group& group) { return group.level == 1 && group.root; });
  beside_root_ = pair->ranks[pair->ranks[0] == root ? 1 : 0];
}

/// Adds a group and all that it consists of; the number of the group.
std::size_t NestedGroups::add(std::vector<Rank> ranks, std::uint64_t level) {
  const std::size_t number = groups_.size();
  groups_.push_back({level, ranks, {}, std::ranges::find(ranks, root_) != ranks.end()});
  if (ranks.size() == 1) return number;
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(cut(ranks));
  const std::size_t first = add({ranks.begin(), middle}, level - 1);
  const std::size_t second = add({middle, ranks.end()}, level - 1);
  groups_[number].halves = {first, second};
  return number;
}

/// Puts ranks into the order along the longer side that they take up, and returns the number of
/// those of the first half. The half with the root is the larger one.
std::size_t NestedGroups::cut(std::vector<Rank>& ranks) const {
  const auto row = [&](Rank v) { return v / grid_.columns; };
  const auto column = [&](Rank v) { return v % grid_.columns; };
  const auto length = [&](const auto& place) {
    const auto [least, most] = std::ranges::minmax(ranks, {}, place);
    return place(most) - place(least);
  };
  const bool along_rows = length(column) >= length(row);
  std::ranges::sort(ranks, {}, [&](Rank v) {
    return along_rows ? std::pair(column(v), row(v)) : std::pair(row(v), column(v));
  });
  const std::size_t half = ranks.size() / 2;
  const auto root = static_cast<std::size_t>(std::ranges::find(ranks, root_) - ranks.begin());
  return root <= half ? ranks.size() - half : half;
}

LeadingHalves NestedGroups::random(Dice& dice) const {
  LeadingHalves result(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (group.ranks.size() == 1) continue;
    result[i] = group.root ? (groups_[group.halves[1]].root ? 1 : 0) : (dice.coin() ? 1 : 0);
  }
  return result;
}

void NestedGroups::change(LeadingHalves& leaders, const std::vector<std::size_t>& groups,
                          double changes, Dice& dice) const {
  std::vector<std::size_t> open;
  std::ranges::copy_if(groups, std::back_inserter(open),
                       [&](std::size_t group) { return !groups_[group].root; });
  for (bool changed = open.empty(); !changed;) {
    for (const std::size_t group : open) {
      if (dice.fraction() * static_cast<double>(open.size()) >= changes) continue;
      leaders[group] ^= 1;
      changed = true;
    }
  }
}

NestedStep NestedGroups::step(std::uint64_t now, LeadingHalves& leaders) const {
  NestedStep result;
  result.trades.resize(grid_.rows * grid_.columns);
  const auto t = static_cast<std::int64_t>(now);
  trade({.group = 0, .leads = true, .gives = t, .takes = t}, t, leaders, result);
  result.trades[root_].receives = result.trades[beside_root_].sends = -1;
  return result;
}

void NestedGroups::trade(const Part& part, std::int64_t now, LeadingHalves& leaders,
                         NestedStep& step) const {
  const Group& group = groups_[part.group];
  if (group.ranks.size() == 1) {
    Trade& own = step.trades[group.ranks[0]];
    own = {.sends = sent(part.gives), .receives = sent(part.takes)};
    if (own.sends == own.receives) own.receives = -1;  // it has the last packet
    return;
  }
  if (part.gives >= 0 || part.takes >= 0) step.trading.push_back(part.group);
  const std::size_t leading = leaders[part.group];
  const std::int64_t second = now + static_cast<std::int64_t>(group.level) -
                              static_cast<std::int64_t>(groups_[0].level) - 1;
  trade({group.halves[leading], true, part.gives, second}, now, leaders, step);
  trade({group.halves[1 - leading], false, second, part.takes}, now, leaders, step);
  if (!part.leads) leaders[part.group] = 1 - leading;
}

/// There are no packets before the first, and the last one is sent instead of later ones.
std::int64_t NestedGroups::sent(std::int64_t packet) const {
  return std::clamp(packet, std::int64_t{-1}, last_);
}

}  // namespace schedcc::prover
