#include <algorithm>

#include "model/runs.hpp"
#include "schedcc/problem.hpp"

// Custom collectives: pre and post lines, digested into one entry per rank with merged runs.

namespace schedcc {

namespace {

std::vector<Holding> by_rank(std::vector<Holding> holdings) {
  std::ranges::stable_sort(holdings, {}, &Holding::rank);
  std::vector<Holding> result;
  for (Holding& holding : holdings) {
    if (result.empty() || result.back().rank != holding.rank) {
      result.push_back({holding.rank, {}, false});
    }
    auto& runs = result.back().runs;
    runs.insert(runs.end(), holding.runs.begin(), holding.runs.end());
  }
  for (Holding& holding : result) holding.runs = merged(holding.runs, true);
  return result;
}

}  // namespace

Custom::Custom(std::vector<Holding> pre, std::vector<Holding> post, std::string title)
    : title_(std::move(title)),
      pre_(std::move(pre)),
      post_(std::move(post)),
      starts_(by_rank(pre_)),
      goals_(by_rank(post_)) {
  // As many entries as ranks have something, or a few times more, but never as a rank's number
  // says.
  if (!starts_.empty() && starts_.back().rank < 8 * starts_.size()) {
    start_index_.assign(std::size_t{starts_.back().rank} + 1, UINT32_MAX);
    for (std::uint32_t i = 0; i < starts_.size(); ++i) start_index_[starts_[i].rank] = i;
  }
  std::vector<Run> runs;
  for (const Holding& holding : post_) {
    if (holding.reduced) runs.insert(runs.end(), holding.runs.begin(), holding.runs.end());
  }
  reduced_ = merged(runs, true);
  for (const auto* holdings : {&starts_, &goals_}) {
    for (const Holding& holding : *holdings) {
      for (const Run& run : holding.runs) borders_.insert(borders_.end(), {run.first, end(run)});
    }
  }
  for (const Run& run : reduced_) borders_.insert(borders_.end(), {run.first, end(run)});
  std::ranges::sort(borders_);
  borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
}

std::span<const Run> Custom::start_of(Rank rank) const {
  if (!start_index_.empty()) {
    const bool none = rank >= start_index_.size() || start_index_[rank] == UINT32_MAX;
    return none ? std::span<const Run>() : starts_[start_index_[rank]].runs;
  }
  const auto found = std::ranges::lower_bound(starts_, rank, {}, &Holding::rank);
  const bool none = found == starts_.end() || found->rank != rank;
  return none ? std::span<const Run>() : found->runs;
}

bool Custom::starts_with(Rank rank, Chunk chunk) const { return contains(start_of(rank), chunk); }

std::uint64_t Custom::starts_in(Rank rank, const Run& run) const {
  const std::span<const Run> starts = start_of(rank);
  std::uint64_t count = 0;
  auto start = std::ranges::upper_bound(starts, run.first, {}, &Run::first);
  if (start != starts.begin()) --start;  // it may reach into the run
  for (; start != starts.end() && start->first < end(run); ++start) count += overlap(*start, run);
  return count;
}

std::uint64_t Custom::same_until(Chunk chunk) const {
  const auto next = std::ranges::upper_bound(borders_, std::uint64_t{chunk});
  return next == borders_.end() ? std::uint64_t{1} << 32 : *next;
}

std::uint64_t Custom::same_until(Rank rank, Chunk chunk) const {
  return std::min(next_border(start_of(rank), chunk), next_border(reduced_, chunk));
}

bool Custom::reduced(const Run& run) const {
  return contains(reduced_, run.first) && next_border(reduced_, run.first) >= end(run);
}

bool Custom::reduced(Chunk chunk) const { return contains(reduced_, chunk); }

std::vector<Rank> Custom::holders(Chunk chunk) const {
  std::vector<Rank> ranks;
  for (const Holding& holding : starts_) {
    if (contains(holding.runs, chunk)) ranks.push_back(holding.rank);
  }
  return ranks;
}

}  // namespace schedcc
