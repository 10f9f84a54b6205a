// Causes of a lost order of operands.
//
// Contributions may arrive in any order, but those that are sent must be an interval of ranks. The
// cause is the transfer that brought an interval not adjacent to the one already held.

#include <algorithm>
#include <map>
#include <utility>

#include "check/provenance/causes.hpp"

namespace schedcc::provenance {

namespace {

constexpr std::size_t no_move = SIZE_MAX;

class Gaps {
 public:
  Gaps(const Replay& replay, Budget& budget)
      : replay_(replay),
        moves_(replay.history().moves),
        budget_(budget),
        contributors_(replay.problem().holders(replay.history().chunk)) {}

  std::vector<Cause> find(bool& complete) {
    state_.resize(replay_.places());
    for (std::size_t p = 0; p < replay_.places(); ++p) {
      const Rank node = replay_.node(p);
      if (replay_.problem().starts_with(node, replay_.history().chunk)) {
        state_[p].ranks.push_back({node, node});
      }
    }
    carried_.resize(moves_.size());
    replay_.each_action([&](std::size_t move, bool sends) { sends ? send(move) : arrive(move); });
    complete = !exhausted_;
    std::vector<Cause> result;
    if (exhausted_) return result;
    for (auto& [move, cause] : causes_) result.push_back(std::move(cause));
    return result;
  }

 private:
  struct Sum {
    Intervals ranks;
    std::size_t origin = no_move;  ///< the move that left a gap
  };

  /// Is the gap free of contributing ranks?
  bool in_order(const Intervals& ranks) const {
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      const auto next =
          std::ranges::upper_bound(contributors_, ranks[i - 1].last, {}, &RankInterval::last);
      if (next != contributors_.end() && next->first < ranks[i].first) return false;
    }
    return true;
  }

  void send(std::size_t move) {
    const Sum& sum = carried_[move] = state_[replay_.src(move)];
    exhausted_ |= !budget_.spend(sum.ranks.size());
    if (exhausted_) carried_[move] = {};
    if (sum.origin == no_move) return;
    const auto [known, added] = causes_.try_emplace(sum.origin);
    Cause& cause = known->second;
    if (added) {
      cause = {Cause::Kind::disorder, moves_[sum.origin].dst(), sum.origin, move};
      cause.contributors = sum.ranks;
    }
    cause.disorderly.push_back(move);
  }

  void arrive(std::size_t move) {
    const Sum carried = std::exchange(carried_[move], {});
    if (carried.ranks.empty()) return;
    Sum& here = state_[replay_.dst(move)];
    const std::size_t before = here.origin;
    if (moves_[move].reduce()) {
      here.ranks = unite(here.ranks, carried.ranks);
    } else {
      here = carried;
      return;
    }
    if (in_order(here.ranks)) {
      here.origin = no_move;
    } else if (before == no_move) {
      here.origin = carried.origin != no_move ? carried.origin : move;
    }
  }

  const Replay& replay_;
  const std::vector<Move>& moves_;
  Budget& budget_;
  bool exhausted_ = false;
  Intervals contributors_;
  std::vector<Sum> state_, carried_;
  std::map<std::size_t, Cause> causes_;  ///< by origin
};

}  // namespace

std::vector<Cause> gaps(const Replay& replay, Budget& budget, bool& complete) {
  return Gaps(replay, budget).find(complete);
}

}  // namespace schedcc::provenance
