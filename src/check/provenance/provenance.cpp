#include "check/provenance/provenance.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "check/provenance/groups.hpp"
#include "check/provenance/text.hpp"
#include "model/runs.hpp"

namespace schedcc::provenance {

void Provenance::Faults::add(const std::vector<Holdings::Fault>& faults, std::size_t most) {
  for (const Holdings::Fault& fault : faults) {
    const auto known = index.find(fault.chunk);
    if (known != index.end()) {
      ++entries[known->second].count;
    } else if (entries.size() < most) {
      index.emplace(fault.chunk, entries.size());
      entries.push_back({fault, 1});
    } else {
      ++beyond;
    }
  }
}

void Provenance::Faults::explain(Chunk chunk) {
  if (const auto known = index.find(chunk); known != index.end())
    entries[known->second].explained = true;
}

void Provenance::note(const Holdings::Outcome& outcome) {
  unheld_.add(outcome.unheld, limits_.chunks);
  unordered_.add(outcome.unordered, limits_.chunks);
}

namespace {

/// Distinct chunks, in the order in which they are named first.
class ChunkList {
 public:
  explicit ChunkList(std::size_t most) : most_(most) {}
  bool full() const { return chunks_.size() >= most_; }
  /// True if the list contains it now.
  bool add(Chunk chunk) {
    if (known_.contains(chunk)) return true;
    if (full()) return false;
    known_.insert(chunk);
    chunks_.push_back(chunk);
    return true;
  }
  std::vector<Chunk> take() { return std::move(chunks_); }

 private:
  std::size_t most_;
  std::set<Chunk> known_;
  std::vector<Chunk> chunks_;
};

}  // namespace

void Provenance::trace(const Holdings& holdings, bool ends) {
  if (!ends && unheld_.empty()) return;
  holdings_ = &holdings;
  list_wrong_ranks(holdings);
  if (unheld_.empty() && unordered_.empty() && wrong_ranks_ == 0) return;
  const std::vector<Chunk> chunks = faulty_chunks();
  const auto histories = record(origins_, chunks, limits_.transfers);
  complete_ &= histories.size() == chunks.size() && unheld_.beyond == 0 && unordered_.beyond == 0;
  Groups groups;
  follow(histories, groups);
  if (const std::vector<Rank> absent = groups.absent(); !absent.empty()) {
    groups.note(find_unused(origins_, absent));
  }
  conclude(groups);
}

void Provenance::list_wrong_ranks(const Holdings& holdings) {
  wrong_ranks_ = holdings.shortfalls(ranks_listed(), [&](Holdings::Shortfall found) {
    std::vector<Run> runs = holdings.lacking(found.rank, limits_.chunks);
    std::uint64_t listed = 0;
    for (const Run& run : runs) listed += run.count;
    complete_ &= listed == found.chunks;
    wrong_.push_back({std::move(found), std::move(runs)});
  });
  complete_ &= wrong_.size() == wrong_ranks_;
}

/// Listing what a rank lacks takes time proportional to its goal.
std::size_t Provenance::ranks_listed() const {
  const std::uint64_t size = origins_.problem.largest_goal();
  return std::clamp<std::size_t>(limits_.work / std::max<std::uint64_t>(size, 1),
                                 limits_.ranks_at_least, limits_.ranks);
}

/// The chunks of transfers that fail; then the first wrong chunk of each rank, then the second, ...
std::vector<Chunk> Provenance::faulty_chunks() {
  ChunkList list(limits_.chunks);
  for (const Faults* faults : {&unheld_, &unordered_}) {
    for (const Faults::Entry& entry : faults->entries) complete_ &= list.add(entry.first.chunk);
  }
  std::vector<std::pair<std::size_t, std::uint32_t>> next(wrong_.size());  // run, chunk in it
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < wrong_.size(); ++i) {
      auto& [run, offset] = next[i];
      if (run == wrong_[i].runs.size()) continue;
      if (!list.add(wrong_[i].runs[run].first + offset)) {
        complete_ = false;
        return list.take();
      }
      more = true;
      if (++offset == wrong_[i].runs[run].count) {
        ++run;
        offset = 0;
      }
    }
  }
  return list.take();
}

std::vector<Rank> Provenance::ranks_without(Chunk chunk) const {
  std::vector<Rank> result;
  for (const IncorrectRank& wrong : wrong_) {
    if (contains(wrong.runs, chunk)) result.push_back(wrong.shortfall.rank);
  }
  return result;
}

void Provenance::follow(const std::vector<History>& histories, Groups& groups) {
  Budget budget{limits_.work};
  for (const History& history : histories) {
    if (find_causes(history, groups, budget)) continue;
    complete_ = false;
    return;
  }
}

/// Removes from a cause the errors that the first pass, which decides the verdict, did not find.
bool Provenance::confirm(Cause& cause, Chunk chunk) const {
  std::erase_if(cause.goals, [&](Rank rank) { return holdings_->right(rank, chunk); });
  if (!unheld_.may_have(chunk)) cause.failing.clear();
  if (!unordered_.may_have(chunk)) cause.disorderly.clear();
  return !cause.goals.empty() || !cause.failing.empty() || !cause.disorderly.empty();
}

bool Provenance::find_causes(const History& history, Groups& groups, Budget& budget) {
  const Replay replay(origins_.problem, history, ranks_without(history.chunk));
  if (!budget.spend(replay.size())) return false;
  const std::vector<std::size_t> suspects = groups.moves_of(history);
  std::vector<Cause> causes = absences(replay, suspects, budget);
  const auto append = [&](std::vector<Cause> more) {
    for (Cause& cause : more) causes.push_back(std::move(cause));
  };
  if (replay.reduced()) {
    bool complete = true;
    append(wrong_sums(replay, suspects, std::nullopt, budget, complete));
    if (complete && origins_.problem.ordered) append(gaps(replay, budget, complete));
    if (!complete) return false;
  }
  for (Cause& cause : causes) {
    if (!confirm(cause, history.chunk)) continue;
    if (!cause.failing.empty()) unheld_.explain(history.chunk);
    if (!cause.disorderly.empty()) unordered_.explain(history.chunk);
    groups.add(history, cause);
  }
  return true;
}

void Provenance::leave_unexplained(const Faults& faults, Findings& findings,
                                   UntracedFinding finding) const {
  findings.more += faults.beyond;
  for (const Faults::Entry& entry : faults.entries) {
    if (entry.explained) continue;
    findings.first.push_back(finding(entry.first, wording()));
    findings.more += entry.count - 1;
  }
}

void Provenance::conclude(const Groups& groups) {
  std::set<Rank> explained;
  for (const Group& group : groups.by_place()) {
    if (group.extent.failing > 0) causality_.first.push_back(causality_finding(group, wording()));
    if (group.extent.gaps > 0) delivery_.first.push_back(order_finding(group, wording()));
  }
  for (const Group& group : groups.by_goal()) {
    delivery_.first.push_back(delivery_finding(group, wording()));
    explained.insert(group.extent.ranks.begin(), group.extent.ranks.end());
  }
  leave_unexplained(unheld_, causality_, untraced_causality);
  leave_unexplained(unordered_, delivery_, untraced_order);
  for (const IncorrectRank& wrong : wrong_) {
    if (!explained.insert(wrong.shortfall.rank).second) continue;
    delivery_.first.push_back(untraced_finding(wrong.shortfall));
  }
  if (wrong_ranks_ > explained.size()) delivery_.more += wrong_ranks_ - explained.size();
}

}  // namespace schedcc::provenance
