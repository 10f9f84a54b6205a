// Ranks with other numbers.

#include <span>
#include <string>
#include <vector>

#include "model/algebra.hpp"
#include "schedcc/transform.hpp"
#include "transform/rows.hpp"

namespace schedcc {

namespace {

void require_permutation(std::span<const Rank> map, Rank ranks) {
  if (map.size() != ranks) {
    throw InputError("there are " + std::to_string(map.size()) + " new numbers for " +
                     std::to_string(ranks) + " ranks");
  }
  std::vector<bool> seen(map.size());
  for (const Rank rank : map) {
    if (rank < map.size() && !seen[rank]) {
      seen[rank] = true;
      continue;
    }
    throw InputError("rank " + std::to_string(rank) +
                     " occurs twice in the new numbers, or is not below " + std::to_string(ranks));
  }
}

/// The chunk in the block of the ranks that those of its block become.
Chunk moved(const Problem& problem, std::span<const Rank> map, Chunk chunk) {
  const std::uint64_t P = problem.ranks, K = problem.chunks, block = chunk / K;
  if (chunk >= problem.total_chunks()) return chunk;
  const std::uint64_t of = info(problem.collective).blocks == 2
                               ? map[block / P] * P + map[block % P]
                               : std::uint64_t{map[block]};
  return static_cast<Chunk>(of * K + chunk % K);
}

std::vector<Holding> moved(std::span<const Holding> lines, std::span<const Rank> map) {
  std::vector<Holding> result(lines.begin(), lines.end());
  for (Holding& line : result) line.rank = map[line.rank];
  return result;
}

Problem moved(const Problem& problem, std::span<const Rank> map) {
  Problem result = problem;
  if (problem.rooted()) result.root = map[problem.root];
  if (!problem.declared()) return result;
  result = custom_problem(problem.ranks, problem.chunks, moved(problem.pre(), map),
                          moved(problem.post(), map), std::string(problem.title()));
  result.ordered = problem.ordered;
  return result;
}

}  // namespace

Source relabelled(const Source& source, std::span<const Rank> map) {
  const Problem& problem = source.problem;
  if (source.hop_level())
    throw InputError("at hop level transfers follow links: ranks cannot have other numbers");
  if (problem.collective == Collective::scan || problem.collective == Collective::exscan)
    throw InputError("a scan depends on the order of the ranks, which cannot have other numbers");
  require_permutation(map, problem.ranks);
  const bool blocks = problem.in_blocks();
  const auto renamed = [&](Rank rank) { return rank < map.size() ? map[rank] : rank; };
  Rows rows;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    rows.begin_step(step.number, step.rounds);
    for (const Transfer& t : step.transfers) {
      const auto end = [&](Chunk chunk) {
        return blocks ? end_of_block(chunk, problem.chunks) : UINT64_MAX;
      };
      if (blocks) rows.require_room(blocks_of(t, problem.chunks));
      for_each_piece(t, end, [&](Transfer piece) {
        piece.src = renamed(piece.src);
        piece.dst = renamed(piece.dst);
        if (blocks) piece.first = moved(problem, map, piece.first);
        rows.add(piece);
      });
    }
  }
  return finished(moved(problem, map), rows, 0, source.machine, source.name + ", relabelled");
}

}  // namespace schedcc
