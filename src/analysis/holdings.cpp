#include "analysis/holdings.hpp"

#include <algorithm>
#include <utility>

#include "model/runs.hpp"

namespace schedcc {

namespace {

/// The ranks 0..ranks-1 among `nodes`, each once, in rising order.
std::vector<Rank> distinct_ranks(std::vector<Rank> nodes, Rank ranks) {
  if (nodes.size() < ranks / 64) {  // an array of bits would be larger
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase_if(nodes, [&](Rank node) { return node >= ranks; });
    return nodes;
  }
  std::vector<bool> among(ranks);
  for (const Rank node : nodes) {
    if (node < ranks) among[node] = true;
  }
  nodes.clear();
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (among[rank]) nodes.push_back(rank);
  }
  return nodes;
}

}  // namespace

void Holdings::Outcome::clear() {
  unheld.clear();
  unordered.clear();
  redundant.clear();
}

void Holdings::advance(const Step& step, bool meet, Outcome& outcome) {
  outcome.clear();
  arrive(step.number, outcome);
  send(step, meet, outcome);
}

void Holdings::finish(Outcome& outcome) {
  outcome.clear();
  arrive(UINT64_MAX, outcome);
  const auto of_part = [&](std::uint64_t chunks) {
    return chunks * part_.count / problem_.total_chunks();
  };
  if (problem_.declared()) {
    std::uint64_t chunks = 0;
    problem_.for_each_goal([&](Rank, const Runs& goal) { chunks += goal.chunks(); });
    prepare_reads(of_part(chunks), 1);
  } else {
    // All goals are alike, except that of the root.
    const Rank rank = only_root() ? problem_.root : problem_.ranks - 1;
    prepare_reads(of_part(problem_.goal(rank).chunks()), only_root() ? 1 : problem_.ranks);
  }
}

bool Holdings::only_root() const {
  const bool others = !problem_.goal(problem_.root == 0 ? problem_.ranks - 1 : 0).empty();
  return !others && problem_.ranks > 1 && problem_.collective != Collective::exscan;
}

std::optional<Holdings::Shortfall> Holdings::shortfall(Rank rank, const Runs& goal) const {
  std::uint64_t missing = 0;
  std::optional<Run> first;
  for (const Run run : goal) {
    const std::uint64_t here = run.count - satisfied(rank, run);
    if (here > 0 && !first) first = run;
    missing += here;
  }
  if (!first) return std::nullopt;
  // Finds the first `held` chunks of the run by steps that double, then halve.
  std::uint32_t held = 0, leap = 1;
  const auto has = [&](std::uint32_t n) { return satisfied(rank, {first->first + held, n}) == n; };
  for (; leap < first->count - held && has(leap); leap *= 2) held += leap;
  for (; leap > 0; leap /= 2) {
    if (leap < first->count - held && has(leap)) held += leap;
  }
  Shortfall result = explain(rank, first->first + held);
  result.chunks = missing;
  return result;
}

bool Holdings::complete(Rank rank) const { return holds(rank, problem_.goal(rank)); }

bool Holdings::holds(Rank rank, const Runs& goal) const {
  for (const Run run : goal) {
    const Run here = common(run, part_);
    if (here.count > 0 && satisfied(rank, here) != here.count) return false;
  }
  return true;
}

bool Holdings::all_complete() const {
  if (part_.count == 0) return true;
  if (problem_.declared()) {
    bool result = true;
    problem_.for_each_goal(
        [&](Rank rank, const Runs& goal) { result = result && holds(rank, goal); });
    return result;
  }
  if (only_root()) return complete(problem_.root);
  // Of very many ranks that received nothing the first one is enough.
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    if (!complete(rank)) return false;
  }
  return true;
}

std::uint64_t Holdings::shortfalls(std::size_t most,
                                   const std::function<void(Shortfall)>& report) const {
  if (problem_.declared()) {
    std::uint64_t short_ranks = 0;
    problem_.for_each_goal([&](Rank rank, const Runs& goal) {
      const auto found = shortfall(rank, goal);
      if (found && short_ranks++ < most) report(*found);
    });
    return short_ranks;
  }
  // Ranks that received nothing differ only from the root, so that those that received anything,
  // and the root, determine how many are complete.
  std::vector<Rank> reached = touched();
  reached.push_back(problem_.root);
  reached = distinct_ranks(std::move(reached), problem_.ranks);
  std::vector<Rank> complete;
  for (const Rank rank : reached) {
    if (this->complete(rank)) complete.push_back(rank);
  }
  // Without a goal are: all but the root if only the root has a goal; rank 0 of an exscan.
  const bool only_root = this->only_root();
  std::uint64_t short_ranks = 0;
  if (only_root) {
    short_ranks = shortfall(problem_.root, problem_.goal(problem_.root)) ? 1 : 0;
  } else {
    short_ranks = problem_.ranks - complete.size();
    const bool rank_0_free = problem_.collective == Collective::exscan;
    if (rank_0_free && !std::ranges::binary_search(complete, Rank{0})) --short_ranks;
  }
  std::uint64_t left = std::min<std::uint64_t>(most, short_ranks);
  for (Rank rank = only_root ? problem_.root : 0; left > 0; ++rank) {
    if (const auto found = shortfall(rank, problem_.goal(rank))) {
      report(*found);
      --left;
    }
  }
  return short_ranks;
}

std::vector<Run> Holdings::lacking(Rank rank, std::size_t most) const {
  std::vector<Run> result;
  for (const Run run : problem_.goal(rank)) lacking(rank, run, most, result);
  return result;
}

void Holdings::lacking(Rank rank, Run run, std::size_t most, std::vector<Run>& result) const {
  if (result.size() >= most) return;
  const std::uint64_t held = satisfied(rank, run);
  if (held == run.count) return;
  if (held > 0) {
    const std::uint32_t half = run.count / 2;
    lacking(rank, {run.first, half}, most, result);
    lacking(rank, {run.first + half, run.count - half}, most, result);
  } else if (!result.empty() && end(result.back()) == run.first) {
    result.back().count += run.count;
  } else {
    result.push_back(run);
  }
}

}  // namespace schedcc
