#include "check/provenance/groups.hpp"

#include <algorithm>
#include <utility>

namespace schedcc::provenance {

namespace {

std::optional<ChunkTransfer> first(const History& history,
                                   const std::vector<std::size_t>& transfers) {
  if (transfers.empty()) return std::nullopt;
  return history.transfers[transfers.front()];
}

std::optional<ChunkTransfer> at(const History& history, std::optional<std::size_t> transfer) {
  if (!transfer) return std::nullopt;
  return history.transfers[*transfer];
}

/// The last transfer by which a node sends the chunk before `time`.
std::optional<ChunkTransfer> last_sent(const History& history, Rank node, std::uint64_t time) {
  std::optional<ChunkTransfer> result;
  for (const ChunkTransfer& transfer : history.transfers) {
    if (transfer.src() == node && transfer.where.step < time) result = transfer;
  }
  return result;
}

/// The transfer that makes the final value of a node: where others only copied it, the one that
/// made it there.
std::optional<ChunkTransfer> made_by(const History& history, Rank node) {
  std::optional<ChunkTransfer> result;
  for (std::size_t i = history.transfers.size(); i-- > 0;) {  // earlier ones brought it there
    const ChunkTransfer& transfer = history.transfers[i];
    if (transfer.dst() != node || (result && transfer.arrives > result->where.step)) continue;
    result = transfer;
    if (transfer.reduce()) break;
    node = transfer.src();
  }
  return result;
}

/// Of the transfers that fail, the one that begins the way to a node that ends without the chunk.
std::optional<ChunkTransfer> first_to(const History& history, const Cause& cause, Rank node) {
  std::optional<ChunkTransfer> result;
  for (std::size_t i = cause.failing.size(); i-- > 0 && node != cause.node;) {
    const ChunkTransfer& transfer = history.transfers[cause.failing[i]];
    if (transfer.dst() != node || (result && transfer.arrives > result->where.step)) continue;
    result = transfer;
    node = transfer.src();
  }
  return result;
}

/// For a cause without a transfer.
void note_last(const History& history, Group& group) {
  group.last = at(history, group.cause.last);
  if (group.cause.kind == Cause::Kind::absent || group.cause.goals.empty()) return;
  group.made_by = made_by(history, group.cause.goals.front());
  if (!group.made_by && !history.transfers.empty()) group.last = history.transfers.back();
}

/// Malformed transfers in place of those that are missing; if a send fails, earlier ones.
void note_malformed(const History& history, Group& group) {
  const Cause& cause = group.cause;
  const auto keeps_it = [&](Rank rank) {
    if (cause.kind != Cause::Kind::absent) return rank == cause.node;
    return std::ranges::any_of(cause.contributors, [&](const RankInterval& holders) {
      return holders.first <= rank && rank <= holders.last;
    });
  };
  for (const ChunkTransfer& transfer : history.malformed) {
    if (group.lacking && transfer.where.step >= group.lacking->where.step) continue;
    if (!group.malformed_arrival && transfer.dst() == cause.node)
      group.malformed_arrival = transfer;
    if (!group.malformed_send && keeps_it(transfer.src())) group.malformed_send = transfer;
  }
}

}  // namespace

Groups::Key Groups::key(const History& history, const Cause& cause) {
  // A rank that sends too early is the cause, whatever arrives later.
  auto by = at(history, cause.transfer);
  if (cause.kind == Cause::Kind::early) by = first(history, cause.failing);
  if (!by) return {cause.kind, cause.node, std::nullopt};
  return {cause.kind, cause.node, by->name()};
}

Group Groups::seen_at(const History& history, const Cause& cause) {
  Group group{.cause = cause,
              .chunk = history.chunk,
              .transfer = at(history, cause.transfer),
              .other = at(history, cause.other),
              .earlier = at(history, cause.earlier),
              .lacking = first(history, cause.failing),
              .gap = first(history, cause.disorderly),
              .last_sent = {},
              .made_by = {},
              .last = {}};
  if (!cause.goals.empty()) {
    group.goal = goal_to_name(cause, cause.goal);
    group.due = first_to(history, cause, group.goal);
  }
  if (!cause.transfer) note_last(history, group);
  note_malformed(history, group);
  if (cause.kind == Cause::Kind::stuck && group.transfer)
    group.last_sent = last_sent(history, cause.node, group.transfer->arrives);
  return group;
}

void Groups::add(const History& history, const Cause& cause) {
  const auto [known, added] = known_.try_emplace(key(history, cause), entries_.size());
  if (added) {
    if (cause.transfer) named_.insert(history.transfers[*cause.transfer].name());
    entries_.emplace_back();
  }
  Entry& entry = entries_[known->second];
  const bool of_transfers = !cause.failing.empty() || !cause.disorderly.empty();
  if (of_transfers && !entry.of_transfers) entry.of_transfers = seen_at(history, cause);
  if (!cause.goals.empty() && !entry.of_ranks) entry.of_ranks = seen_at(history, cause);
  entry.extent.ranks.insert(cause.goals.begin(), cause.goals.end());
  entry.extent.goals += cause.goals.size();
  entry.extent.failing += cause.failing.size();
  entry.extent.gaps += cause.disorderly.size();
}

std::vector<Rank> Groups::absent() const {
  std::set<Rank> result;
  for (const auto& [key, entry] : known_) {
    const auto& [kind, node, transfer] = key;
    if (kind == Cause::Kind::absent && !transfer) result.insert(node);
  }
  return {result.begin(), result.end()};
}

void Groups::note(const std::map<Rank, UnusedTransfer>& unused) {
  for (const auto& [key, entry] : known_) {
    const auto& [kind, node, transfer] = key;
    if (kind != Cause::Kind::absent || transfer) continue;
    const auto found = unused.find(node);
    if (found == unused.end()) continue;
    for (auto* group : {&entries_[entry].of_transfers, &entries_[entry].of_ranks}) {
      if (*group) (*group)->unused = found->second;
    }
  }
}

std::vector<Group> Groups::all(std::optional<Group> Entry::*which) const {
  std::vector<Group> result;
  for (const Entry& entry : entries_) {
    if (!(entry.*which)) continue;
    result.push_back(*(entry.*which));
    result.back().extent = entry.extent;
  }
  return result;
}

std::vector<Group> Groups::by_place() const {
  std::vector<Group> result = all(&Entry::of_transfers);
  std::ranges::stable_sort(result, {}, [](const Group& group) {
    const ChunkTransfer& at = *(group.lacking ? group.lacking : group.transfer);
    return std::tuple(at.where.step, at.where.line, at.index, group.chunk);
  });
  return result;
}

std::vector<Group> Groups::by_goal() const {
  std::vector<Group> result = all(&Entry::of_ranks);
  std::ranges::stable_sort(result, {},
                           [](const Group& group) { return std::pair(group.goal, group.chunk); });
  return result;
}

std::vector<std::size_t> Groups::moves_of(const History& history) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < history.transfers.size(); ++i) {
    if (named_.contains(history.transfers[i].name())) result.push_back(i);
  }
  return result;
}

}  // namespace schedcc::provenance
