// The collectives: the table of docs/semantics.md, "Collectives", and start and goal of each. Every
// standard collective starts each rank with one run of chunks, and ends with equally long runs at a
// fixed stride.

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "core/names.hpp"
#include "model/problem_text.hpp"
#include "model/starts.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

namespace {

constexpr std::array<CollectiveInfo, 12> table{{
    {Collective::broadcast, "broadcast", "the root's message to every rank", true, false, 0},
    {Collective::scatter, "scatter", "a block of the root's to each rank", true, false, 1},
    {Collective::gather, "gather", "a block of each rank to the root", true, false, 1},
    {Collective::allgather, "allgather", "every rank's block to every rank", false, false, 1},
    {Collective::alltoall, "alltoall", "a block of each rank to each rank", false, false, 2},
    {Collective::reduce, "reduce", "all ranks' messages, combined, to the root", true, true, 0},
    {Collective::allreduce, "allreduce", "all ranks' messages, combined, to every rank", false,
     true, 0},
    {Collective::reduce_scatter, "reduce-scatter", "a combined block to each rank", false, true, 1},
    {Collective::scan, "scan", "to each rank the combination over ranks up to its own", false, true,
     0},
    {Collective::exscan, "exscan", "to each rank the combination over ranks below its own", false,
     true, 0},
    {Collective::barrier, "barrier", "every rank hears of every other: blocks without size", false,
     false, 1, false, true},
    {Collective::custom, "custom", "as declared by the pre and post lines of a file", false, false,
     0, true},
}};

bool starts_at_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::scatter;
}

}  // namespace

std::span<const CollectiveInfo> collectives() { return table; }

const CollectiveInfo& info(Collective collective) {
  return table[static_cast<std::size_t>(collective)];
}

bool WideRuns::contains(std::uint64_t chunk) const {
  if (count == 0 || chunk < first) return false;
  const std::uint64_t run = runs == 1 ? 0 : std::min((chunk - first) / stride, runs - 1);
  return chunk - first - run * stride < count;
}

WideRuns WideProblem::start(std::uint64_t rank) const {
  if (starts_at_root(collective) && rank != root) return {};
  switch (collective) {
    case Collective::broadcast:
    case Collective::scatter:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
      return {0, total_chunks()};
    case Collective::gather:
    case Collective::allgather:
    case Collective::barrier:
      return {rank * chunks, chunks};
    case Collective::alltoall:
      return {rank * ranks * chunks, ranks * chunks};
    case Collective::custom:
      break;
  }
  return {};
}

WideRuns WideProblem::goal(std::uint64_t rank) const {
  switch (collective) {
    case Collective::broadcast:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::allgather:
    case Collective::barrier:
      return {0, total_chunks()};
    case Collective::exscan:
      return {0, rank == 0 ? 0 : chunks};
    case Collective::reduce:
    case Collective::gather:
      return {0, rank == root ? total_chunks() : 0};
    case Collective::scatter:
    case Collective::reduce_scatter:
      return {rank * chunks, chunks};
    case Collective::alltoall:
      return {rank * chunks, chunks, ranks, ranks * chunks};
    case Collective::custom:
      break;
  }
  return {};
}

std::uint64_t Problem::total_chunks() const { return WideProblem(*this).total_chunks(); }

std::string_view Problem::name() const { return title().empty() ? info(collective).name : title(); }

void Problem::validate() const {
  if (ranks == 0) throw InputError("a problem needs at least 1 rank");
  if (chunks == 0) throw InputError("a problem needs at least 1 chunk");
  if (chunks > max_transfer_count && !declared()) {
    throw InputError(fmt::format("{} chunks are more than 2^31 - 1, the most of a {}", chunks,
                                 in_blocks() ? "block" : "message"));
  }
  if (rooted() && root >= ranks) {
    throw InputError(no_such_rank("root", root, ranks));
  }
  if (total_chunks() > UINT32_MAX) {
    throw InputError(fmt::format("{} over {} ranks with {} {} has more than 2^32 - 1 chunks",
                                 info(collective).name, ranks, chunks,
                                 chunks == 1 ? "chunk a block" : "chunks a block"));
  }
  const bool unknown = declared() && custom == nullptr;  // whether it has reductions
  if (ordered && !reduction() && !unknown) {
    throw InputError(cannot_be_ordered(name()));
  }
}

Starts::Starts(const Problem& problem)
    : custom_(problem.custom.get()),
      everywhere_(!starts_at_root(problem.collective)),
      reduction_(info(problem.collective).reduction),
      ranks_(problem.ranks),
      root_(problem.root) {
  const WideProblem wide(problem);
  count_ = static_cast<std::uint32_t>(wide.start(root_).count);
  stride_ = static_cast<std::uint32_t>(wide.start(1).first);
}

Runs Problem::goal(Rank rank) const {
  if (rank >= ranks) return {};
  if (declared()) return listed_goal(rank);
  const WideRuns runs = WideProblem(*this).goal(rank);
  const Run first{static_cast<Chunk>(runs.first), static_cast<std::uint32_t>(runs.count)};
  return Runs(first, static_cast<std::uint32_t>(runs.runs), runs.stride);
}

std::pair<Rank, Rank> Problem::starters() const {
  return starts_at_root(collective) ? std::pair(root, root + 1) : std::pair(Rank{0}, ranks);
}

std::pair<Rank, Rank> Problem::goal_ranks() const {
  const bool only_root = collective == Collective::gather || collective == Collective::reduce;
  if (only_root) return {root, root + 1};
  return {collective == Collective::exscan ? 1 : 0, ranks};
}

Rank Problem::contributors_end(Rank rank) const {
  if (collective == Collective::scan) return rank + 1;
  return collective == Collective::exscan ? rank : ranks;
}

std::string describe(const Problem& problem) {
  const auto root = problem.rooted() ? std::optional(problem.root) : std::nullopt;
  return problem_text(problem.name(), problem.ranks, root, problem.chunks);
}

Collective find_collective(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& c : collectives()) {
    if (c.name == name) return c.collective;
    names.push_back(c.name);
  }
  throw InputError(unknown("collective", name, names));
}

}  // namespace schedcc
