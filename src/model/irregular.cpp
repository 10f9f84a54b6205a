// Irregular blocks: the v-collectives, as custom collectives. Start and goal are those of the
// regular collective with one chunk a block, every block replaced by its run of chunks.

#include <algorithm>

#include <fmt/core.h>

#include "model/runs.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

std::vector<Chunk> block_offsets(const BlockSizes& sizes) {
  std::vector<Chunk> result{0};
  std::uint64_t total = 0;
  for (const std::uint32_t size : sizes) {
    total += size;
    if (total > max_transfer_count) {
      throw InputError(fmt::format(
          "the blocks have more than the {} chunks that schedcc can number", max_transfer_count));
    }
    result.push_back(static_cast<Chunk>(total));
  }
  return result;
}

std::uint64_t block_count(Collective collective, Rank ranks) {
  const std::uint64_t P = ranks;
  const int blocks = info(collective).blocks;
  return blocks == 0 ? 0 : blocks == 1 ? P : P * P;
}

Problem with_block_sizes(const Problem& problem, const BlockSizes& sizes) {
  if (problem.tokens()) throw InputError("the blocks of a barrier have no sizes");
  const std::uint64_t wanted = block_count(problem.collective, problem.ranks);
  if (sizes.size() != wanted) {
    throw InputError(fmt::format("{} over {} ranks has {} blocks, not {}",
                                 info(problem.collective).name, problem.ranks, wanted,
                                 sizes.size()));
  }
  const std::vector<Chunk> begin = block_offsets(sizes);
  Problem blocks = problem;
  blocks.chunks = 1;
  const bool reduction = problem.reduction();
  std::vector<Holding> pre, post;
  const auto add = [&](std::vector<Holding>& lines, Rank rank, const Run& run, bool reduced) {
    const Chunk first = begin[run.first];
    const std::uint32_t count = begin[end(run)] - first;
    if (count == 0) return;
    if (lines.empty() || lines.back().rank != rank) lines.push_back({rank, {}, reduced});
    lines.back().runs.push_back({first, count});
  };
  blocks.for_each_start([&](Rank rank, const Runs& runs) {
    for (const Run run : runs) add(pre, rank, run, false);
  });
  blocks.for_each_goal([&](Rank rank, const Runs& runs) {
    for (const Run run : runs) add(post, rank, run, reduction);
  });
  Problem result = custom_problem(
      problem.ranks, std::max(begin.back(), Chunk{1}), std::move(pre), std::move(post),
      fmt::format("{}{}, irregular blocks", info(problem.collective).name,
                  problem.rooted() ? fmt::format(", root {}", problem.root) : ""));
  result.ordered = problem.ordered && result.reduction();
  return result;
}

}  // namespace schedcc
