#include "prove/sat/question/deliveries.hpp"

namespace schedcc::prover {

std::vector<Delivery> deliveries(const Problem& problem) {
  std::vector<Delivery> result(problem.total_chunks());
  for (Chunk c = 0; c < result.size(); ++c) result[c].reduced = problem.reduced(c);
  const auto for_chunks = [&](const Runs& runs, const auto& visit) {
    for (const Run run : runs) {
      for (std::uint32_t i = 0; i < run.count; ++i) visit(result[run.first + i]);
    }
  };
  problem.for_each_start([&](Rank rank, const Runs& runs) {
    for_chunks(runs, [&](Delivery& chunk) { chunk.sources.push_back(rank); });
  });
  problem.for_each_goal([&](Rank rank, const Runs& runs) {
    for_chunks(runs, [&](Delivery& chunk) {
      const bool has_it = !chunk.reduced && chunk.starts_at(rank);
      if (!has_it) chunk.goals.push_back(rank);
    });
  });
  return result;
}

bool requires_contribution(const Problem& problem, Rank goal, Rank source) {
  return source < problem.contributors_end(goal);
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
