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

constexpr std::size_t no_transfer = SIZE_MAX;

class Gaps {
 public:
  Gaps(const Replay& replay, Budget& budget)
      : replay_(replay),
        transfers_(replay.history().transfers),
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
    carried_.resize(transfers_.size());
    replay_.each_action(
        [&](std::size_t transfer, bool sends) { sends ? send(transfer) : arrive(transfer); });
    complete = !exhausted_;
    std::vector<Cause> result;
    if (exhausted_) return result;
    for (auto& [transfer, cause] : causes_) result.push_back(std::move(cause));
    return result;
  }

 private:
  struct Sum {
    Intervals ranks;
    std::size_t origin = no_transfer;  ///< the transfer that left a gap
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

  void send(std::size_t transfer) {
    const Sum& sum = carried_[transfer] = state_[replay_.src(transfer)];
    exhausted_ |= !budget_.spend(sum.ranks.size());
    if (exhausted_) carried_[transfer] = {};
    if (sum.origin == no_transfer) return;
    const auto [known, added] = causes_.try_emplace(sum.origin);
    Cause& cause = known->second;
    if (added) {
      cause = {Cause::Kind::disorder, transfers_[sum.origin].dst(), sum.origin, transfer};
      cause.contributors = sum.ranks;
    }
    cause.disorderly.push_back(transfer);
  }

  void arrive(std::size_t transfer) {
    const Sum carried = std::exchange(carried_[transfer], {});
    if (carried.ranks.empty()) return;
    Sum& here = state_[replay_.dst(transfer)];
    const std::size_t before = here.origin;
    if (transfers_[transfer].reduce()) {
      here.ranks = unite(here.ranks, carried.ranks);
    } else {
      here = carried;
      return;
    }
    if (in_order(here.ranks)) {
      here.origin = no_transfer;
    } else if (before == no_transfer) {
      here.origin = carried.origin != no_transfer ? carried.origin : transfer;
    }
  }

  const Replay& replay_;
  const std::vector<ChunkTransfer>& transfers_;
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
