#include "check/provenance/unexplained.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace schedcc::provenance {

namespace {

using Kind = Cause::Kind;

/// How far a missing contribution came.
struct ContributionPath {
  bool unsent = false;  ///< its own rank never sends it
  std::optional<std::size_t> last =
      {};  ///< the last transfer that brought it somewhere without effect
};

/// A transfer is without effect for a contribution if its destination neither sends it on nor ends
/// with it as it should.
ContributionPath follow(const ReplayedSums& sums, std::size_t contributor) {
  const Replay& replay = sums.replay();
  const std::size_t origin = sums.place_of(contributor);
  std::vector<std::optional<std::size_t>> by(replay.places());  // what brought it there
  std::vector<bool> useless(sums.transfers().size());
  bool unsent = true;
  replay.each_action([&](std::size_t transfer, bool sends) {
    // A transfer that was left out carries nothing, but the schedule has it.
    if (sends && sums.edited(transfer) && replay.src(transfer) == origin) unsent = false;
    if (!sums.carried(transfer)[contributor]) return;
    const auto& came_by = by[replay.src(transfer)];
    if (!sends) {
      if (sums.before(transfer)[contributor]) return;
      by[sums.destination(transfer)] = transfer;
      useless[transfer] = true;
    } else if (came_by) {
      useless[*came_by] = false;
    } else if (replay.src(transfer) == origin) {
      unsent = false;
    }
  });
  ContributionPath trail{unsent && !sums.serves(origin, contributor)};
  for (std::size_t i = 0; i < sums.transfers().size(); ++i) {
    if (!useless[i] || sums.serves(sums.destination(i), contributor)) continue;
    const auto arrives = [&](std::size_t transfer) { return sums.transfers()[transfer].arrives; };
    if (!trail.last || arrives(i) >= arrives(*trail.last)) trail.last = i;
  }
  return trail;
}

class UnexplainedFaults {
 public:
  UnexplainedFaults(const ReplayedSums& sums, const OriginalFaults& faults,
                    const std::vector<MisdirectedTransfer>& misdirected, std::vector<Cause>& causes)
      : sums_(sums), faults_(faults), misdirected_(misdirected), causes_(causes) {
    for (const ChunkTransfer& transfer : sums.transfers()) sends_.insert(transfer.src());
  }

  void explain(std::size_t contributor) {
    const Window only = Window().set(contributor);
    std::optional<ContributionPath> trail;
    for (std::size_t p = 0; p < sums_.replay().places(); ++p) {
      if (!sums_.faults().at(p)[contributor]) continue;
      if (faults_.original.extra[p][contributor]) add(surplus(p, only), contributor, p);
      if (!faults_.original.missing[p][contributor]) continue;
      const auto known = misdirected(contributor);
      if (known && sums_.replay().node(p) != faults_.focus) {
        add_goal(causes_[*known], p);
        continue;
      }
      if (!trail) trail = follow(sums_, contributor);
      add(lack(contributor, *trail, p), contributor, p);
    }
  }

  void finish() {
    for (auto& [key, found] : merged_) {
      Cause& cause = found.cause;
      cause.goal = goal_to_name(cause, faults_.focus);
      const std::size_t place = sums_.replay().place(*cause.goal);
      const bool lack = cause.kind == Kind::stuck || cause.kind == Kind::undelivered;
      const Window& faulty = lack ? faults_.original.missing[place] : faults_.original.extra[place];
      cause.contributors = sums_.ranks(found.contributors & sums_.faults().at(place) & faulty);
      causes_.push_back(std::move(cause));
    }
  }

 private:
  struct MergedCause {
    Cause cause;
    Window contributors;  ///< at any goal
  };

  std::optional<std::size_t> misdirected(std::size_t contributor) const {
    for (const MisdirectedTransfer& m : misdirected_) {
      if (m.carried[contributor]) return m.cause;
    }
    return std::nullopt;
  }

  Cause surplus(std::size_t place, const Window& only) const {
    const auto& transfers = sums_.transfers();
    std::optional<std::size_t> brought;
    const bool twice = (sums_.expected(place) & only).any();
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (twice && (sums_.meeting(i) & only).any())
        return {Kind::twice, transfers[i].dst(), i, i, sums_.earlier(i, only)};
      if (sums_.replay().dst(i) == place && (sums_.carried(i) & only).any()) brought = i;
    }
    // If the two meet only because of a repair, no transfer is named for that.
    return {twice ? Kind::twice : Kind::unwanted, sums_.replay().node(place), brought};
  }

  Cause lack(std::size_t contributor, const ContributionPath& trail, std::size_t goal) const {
    const Replay& replay = sums_.replay();
    if (trail.unsent) return {Kind::stuck, replay.node(sums_.place_of(contributor))};
    if (trail.last && !sums_.edited(*trail.last))
      return {Kind::stuck, sums_.transfers()[*trail.last].dst(), trail.last};
    const std::size_t source = sums_.source_of(goal, Window().set(contributor));
    // It may have come there, but too late.
    return {Kind::undelivered, replay.node(sums_.ends_with(source, contributor) ? goal : source)};
  }

  void add(const Cause& found, std::size_t contributor, std::size_t goal) {
    // A node that sends nothing keeps all contributions that reach it, for one reason.
    const bool silent = found.kind == Kind::stuck && !sends_.contains(found.node);
    const auto by = silent ? std::nullopt : found.transfer;
    MergedCause& known =
        merged_.try_emplace({found.kind, by, found.node}, MergedCause{found, {}}).first->second;
    Cause& cause = known.cause;
    if (silent && found.transfer > cause.transfer)
      cause.transfer = found.transfer;  // the last; none is the first
    known.contributors.set(contributor);
    add_goal(cause, goal);
  }

  void add_goal(Cause& cause, std::size_t place) const {
    const Rank rank = sums_.replay().node(place);
    const auto at = std::ranges::lower_bound(cause.goals, rank);
    if (at == cause.goals.end() || *at != rank) cause.goals.insert(at, rank);
  }

  const ReplayedSums& sums_;
  OriginalFaults faults_;
  const std::vector<MisdirectedTransfer>& misdirected_;
  std::vector<Cause>& causes_;
  std::set<Rank> sends_;  ///< the nodes that send the chunk
  std::map<std::tuple<Kind, std::optional<std::size_t>, Rank>, MergedCause> merged_;
};

}  // namespace

bool add_unexplained(const ReplayedSums& sums, const OriginalFaults& faults,
                     const std::vector<MisdirectedTransfer>& misdirected,
                     std::vector<Cause>& causes, Budget& budget) {
  UnexplainedFaults rest(sums, faults, misdirected, causes);
  for (std::size_t q = 0; q < window_size; ++q) {
    if (!sums.faults().anywhere()[q]) continue;
    if (!budget.spend(sums.replay().size())) return false;
    rest.explain(q);
  }
  rest.finish();
  return true;
}

}  // namespace schedcc::provenance
