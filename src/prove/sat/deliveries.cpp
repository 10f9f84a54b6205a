#include "prove/sat/deliveries.hpp"

namespace schedcc::prover {

std::vector<Delivery> deliveries(const Problem& problem) {
  std::vector<Delivery> result(problem.total_chunks());
  for (Chunk c = 0; c < result.size(); ++c) result[c].reduced = problem.reduced(c);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    for (Chunk c = 0; c < result.size(); ++c) {
      if (problem.starts_with(rank, c)) result[c].sources.push_back(rank);
    }
  }
  const auto want = [&](Rank rank, const Run& run) {
    for (Chunk c = run.first; c < run.first + run.count; ++c) {
      const bool has_it = !result[c].reduced && result[c].starts_at(rank);
      if (!has_it) result[c].goals.push_back(rank);
    }
  };
  if (problem.custom) {
    for (const Holding& holding : problem.custom->goals()) {
      for (const Run& run : holding.runs) want(holding.rank, run);
    }
    return result;
  }
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    const Problem::Goal goal = problem.goal(rank);
    for (std::uint32_t i = 0; i < goal.repeat; ++i) want(rank, goal.part(i));
  }
  return result;
}

bool wants(const Problem& problem, Rank goal, Rank source) {
  if (problem.collective == Collective::scan) return source <= goal;
  if (problem.collective == Collective::exscan) return source < goal;
  return true;
}

std::optional<std::vector<Delivery>> dual(const Problem& problem) {
  if (problem.ordered || problem.collective == Collective::scan ||
      problem.collective == Collective::exscan) {
    return std::nullopt;
  }
  std::vector<Delivery> chunks = deliveries(problem);
  for (Delivery& chunk : chunks) {
    if (chunk.goals.empty()) continue;
    if (!chunk.reduced || chunk.goals.size() > 1 || chunk.sources.empty()) return std::nullopt;
    std::swap(chunk.sources, chunk.goals);
    std::erase(chunk.goals, chunk.sources.front());
    chunk.reduced = false;
  }
  return chunks;
}

}  // namespace schedcc::prover
