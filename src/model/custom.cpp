// Starts and goals of custom collectives: their pre and post lines, indexed as one entry per rank
// with merged runs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/runs.hpp"
#include "model/starts.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

namespace {

/// Are they ascending, with chunks between them?
bool are_merged(std::span<const Run> runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (end(runs[i - 1]) >= runs[i].first) return false;
  }
  return true;
}

void merge(std::vector<Run>& runs) {
  if (!are_merged(runs)) runs = united(runs);
}

/// The same lines with merged runs, one for each rank: of `post` one for its reduction chunks, one
/// for the others. They are in the order of their first.
std::vector<Holding> canonical(std::vector<Holding> lines) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  std::vector<Holding> result;
  for (Holding& line : lines) {
    const std::uint64_t key = 2 * std::uint64_t{line.rank} + (line.reduced ? 1 : 0);
    const auto [place, first] = places.try_emplace(key, result.size());
    if (first) {
      result.push_back(std::move(line));
    } else {
      std::vector<Run>& runs = result[place->second].runs;
      runs.insert(runs.end(), line.runs.begin(), line.runs.end());
    }
  }
  for (Holding& line : result) {
    merge(line.runs);
  }
  return result;
}

std::vector<Holding> by_rank(std::vector<Holding> holdings) {
  std::ranges::stable_sort(holdings, {}, &Holding::rank);
  std::vector<Holding> result;
  for (Holding& holding : holdings) {
    if (result.empty() || result.back().rank != holding.rank) {
      result.push_back({holding.rank, {}, false});
    }
    auto& runs = result.back().runs;
    if (runs.empty()) {
      runs = std::move(holding.runs);
    } else {
      runs.insert(runs.end(), holding.runs.begin(), holding.runs.end());
    }
  }
  for (Holding& holding : result) {
    merge(holding.runs);
  }
  std::erase_if(result, [](const Holding& holding) { return holding.runs.empty(); });
  return result;
}

/// The first chunks and the ends of all runs, ascending, each once. If there are many for their
/// range they are bits of a set, which is no larger than their list.
std::vector<std::uint64_t> borders_of(std::span<const std::span<const Run>> runs) {
  std::uint64_t most = 0;
  std::size_t count = 0;
  for (const std::span<const Run> some : runs) {
    for (const Run& run : some) most = std::max(most, end(run));
    count += 2 * some.size();
  }
  std::vector<std::uint64_t> result;
  if (most / 64 < count) {
    std::vector<bool> present(most + 1);
    for (const std::span<const Run> some : runs) {
      for (const Run& run : some) present[run.first] = present[end(run)] = true;
    }
    result.reserve(static_cast<std::size_t>(std::ranges::count(present, true)));
    for (std::uint64_t n = 0; n <= most; ++n) {
      if (present[n]) result.push_back(n);
    }
    return result;
  }
  result.reserve(count);
  for (const std::span<const Run> some : runs) {
    for (const Run& run : some) {
      result.push_back(run.first);
      result.push_back(end(run));
    }
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

Custom::Custom(std::vector<Holding> pre, std::vector<Holding> post, std::string title)
    : title_(std::move(title)),
      pre_(canonical(std::move(pre))),
      post_(canonical(std::move(post))),
      starts_(by_rank(pre_)),
      goals_(by_rank(post_)) {
  // The table has a few entries for each rank that holds chunks; its size never depends on the
  // ranks' numbers.
  if (!starts_.empty() && starts_.back().rank < 8 * starts_.size()) {
    start_index_.assign(std::size_t{starts_.back().rank} + 1, UINT32_MAX);
    for (std::uint32_t i = 0; i < starts_.size(); ++i) start_index_[starts_[i].rank] = i;
  }
  std::vector<Run> runs;
  for (const Holding& holding : post_) {
    if (holding.reduced) runs.insert(runs.end(), holding.runs.begin(), holding.runs.end());
  }
  reduced_ = united(runs);
  std::vector<std::span<const Run>> all{reduced_};
  for (const auto* holdings : {&starts_, &goals_}) {
    for (const Holding& holding : *holdings) all.emplace_back(holding.runs);
  }
  borders_ = borders_of(all);
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

std::uint64_t Starts::listed_in(Rank rank, const Run& run) const {
  const std::span<const Run> starts = listed(rank);
  std::uint64_t count = 0;
  const Run* start = last_from(starts, run.first);  // it may reach into the run
  if (start == nullptr) start = starts.data();
  const Run* const last = starts.data() + starts.size();
  for (; start != last && start->first < end(run); ++start) count += overlap(*start, run);
  return count;
}

std::uint64_t Starts::listed_until(Rank rank, Chunk chunk) const {
  return std::min(next_border(listed(rank), chunk), next_border(reduced(), chunk));
}

Intervals Starts::holders(Chunk chunk) const {
  Intervals result;
  if (by_formula()) {
    const Rank first = !everywhere_ ? root_ : stride_ > 0 ? chunk / stride_ : 0;
    const Rank last = everywhere_ && stride_ == 0 ? ranks_ - 1 : first;
    if (first < ranks_ && has_by_formula(first, chunk)) result.push_back({first, last});
    return result;
  }
  for (const Holding& holding : custom_->starts()) {
    if (!contains(holding.runs, chunk)) continue;
    const Rank rank = holding.rank;
    if (result.empty() || result.back().last + 1 != rank) result.push_back({rank, rank});
    result.back().last = rank;
  }
  return result;
}

Problem custom_problem(Rank ranks, std::uint32_t chunks, std::vector<Holding> pre,
                       std::vector<Holding> post, std::string title) {
  Problem result;
  result.collective = Collective::custom;
  result.ranks = ranks;
  result.chunks = chunks;
  result.custom = std::make_shared<const Custom>(std::move(pre), std::move(post), std::move(title));
  return result;
}

std::span<const Holding> Problem::pre() const {
  return custom ? custom->pre() : std::span<const Holding>();
}

std::span<const Holding> Problem::post() const {
  return custom ? custom->post() : std::span<const Holding>();
}

std::string_view Problem::title() const { return custom ? custom->title_ : std::string_view(); }

bool Problem::reduction() const {
  return custom ? !custom->reduced_.empty() : info(collective).reduction;
}

bool Problem::reduced(Chunk chunk) const {
  return custom ? contains(custom->reduced_, chunk) : info(collective).reduction;
}

bool Problem::reduced(const Run& run) const {
  return reduced(run.first) && (!custom || next_border(custom->reduced_, run.first) >= end(run));
}

Runs Problem::start(Rank rank) const { return rank < ranks ? Starts(*this).of(rank) : Runs(); }

bool Problem::starts_with(Rank rank, Chunk chunk) const {
  return rank < ranks && Starts(*this).has(rank, chunk);
}

Runs Problem::listed_goal(Rank rank) const {
  const std::span<const Holding> goals = custom ? custom->goals_ : std::span<const Holding>();
  const auto found = std::ranges::lower_bound(goals, rank, {}, &Holding::rank);
  return found == goals.end() || found->rank != rank ? Runs() : Runs(found->runs);
}

std::uint64_t Problem::largest_goal() const {
  if (!custom) return std::max(goal(root).chunks(), goal(ranks - 1).chunks());
  std::uint64_t most = 0;
  for_each_goal([&](Rank, const Runs& runs) { most = std::max(most, runs.chunks()); });
  return most;
}

std::uint64_t Problem::same_until(Chunk chunk) const {
  if (!custom) return std::uint64_t{chunk} + 1;
  const std::span<const std::uint64_t> borders = custom->borders_;
  // Where every chunk up to this one is a border, it is in the place of its number.
  const bool all_borders = chunk < borders.size() && borders[chunk] == chunk;
  const auto next = all_borders ? borders.begin() + chunk + 1
                                : std::ranges::upper_bound(borders, std::uint64_t{chunk});
  return next == borders.end() ? std::uint64_t{1} << 32 : *next;
}

Intervals Problem::holders(Chunk chunk) const { return Starts(*this).holders(chunk); }

Intervals Problem::contributors(Chunk chunk, Rank rank) const {
  Intervals result = holders(chunk);
  const Rank end = contributors_end(rank);
  std::erase_if(result, [&](const RankInterval& interval) { return interval.first >= end; });
  if (!result.empty()) result.back().last = std::min(result.back().last, end - 1);
  return result;
}

}  // namespace schedcc
