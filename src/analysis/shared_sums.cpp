#include "analysis/shared_sums.hpp"

#include <algorithm>
#include <vector>

#include "model/runs.hpp"

namespace schedcc {

bool shares_sums(const Problem& problem) {
  if (!problem.declared()) return problem.collective == Collective::allreduce && problem.ranks > 1;
  if (!problem.reduction()) return false;
  std::vector<Run> goals;
  problem.for_each_goal([&](Rank, const Runs& runs) {
    for (const Run run : runs) goals.push_back(run);
  });
  std::ranges::sort(goals, {}, &Run::first);
  std::uint64_t covered = 0;  // the chunks before it are in a goal, or in none
  for (const Run run : goals) {
    // What is in two goals; the chunks of both kinds are cut at the borders of goals.
    const std::uint64_t until = std::min(covered, end(run));
    for (std::uint64_t c = run.first; c < until; c = problem.same_until(static_cast<Chunk>(c))) {
      if (problem.reduced(static_cast<Chunk>(c))) return true;
    }
    covered = std::max(covered, end(run));
  }
  return false;
}

}  // namespace schedcc
