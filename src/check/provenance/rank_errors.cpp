#include "check/provenance/rank_errors.hpp"

#include <algorithm>
#include <utility>

#include "check/provenance/causes.hpp"
#include "check/provenance/groups.hpp"
#include "check/provenance/limits.hpp"
#include "check/provenance/text.hpp"

namespace schedcc::provenance {

namespace {

/// The errors of a cause that are those of the rank.
Cause at_rank(Cause cause, Rank rank, const std::vector<bool>& relevant) {
  const bool here = std::ranges::binary_search(cause.goals, rank);
  cause.goals.clear();
  if (here) cause.goals.push_back(rank);
  if (!here) cause.failing.clear();
  std::erase_if(cause.disorderly, [&](std::size_t transfer) { return !relevant[transfer]; });
  return cause;
}

}  // namespace

RankErrors errors_at(const Origins& origins, const History& history, Rank rank,
                     const std::vector<bool>& relevant) {
  const Limits limits;
  if (history.transfers.size() > limits.transfers) return {{}, false};
  RankErrors result;
  const Replay replay(origins.problem, history, std::vector{rank});
  Budget budget{limits.work};
  Groups groups;
  const auto add = [&](std::vector<Cause> causes) {
    for (Cause& some : causes) {
      Cause cause = at_rank(std::move(some), rank, relevant);
      if (!cause.goals.empty() || !cause.disorderly.empty()) groups.add(history, cause);
    }
  };
  add(absences(replay, {}, budget));
  add(wrong_sums(replay, {}, rank, budget, result.complete));
  if (result.complete && origins.problem.ordered) add(gaps(replay, budget, result.complete));
  if (const std::vector<Rank> absent = groups.absent(); !absent.empty())
    groups.note(find_unused(origins, absent));
  const MessageContext wording{origins.node, true};
  const auto report = [&](std::string_view check, Finding finding) {
    finding.check = check;
    result.findings.push_back(std::move(finding));
  };
  for (const Group& group : groups.by_place()) {
    if (group.extent.failing > 0) report("causality", causality_finding(group, wording));
    if (group.extent.gaps > 0) report("delivery", order_finding(group, wording));
  }
  for (const Group& group : groups.by_goal()) report("delivery", delivery_finding(group, wording));
  return result;
}

}  // namespace schedcc::provenance
