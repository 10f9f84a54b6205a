#include "simulator/collectives.hpp"

namespace naive {

using schedcc::Collective;

namespace {

/// Is the chunk among those of a custom problem's line?
bool named(const schedcc::Holding& line, Chunk chunk) {
  for (const schedcc::Run& run : line.runs) {
    if (chunk >= run.first && chunk - run.first < run.count) return true;
  }
  return false;
}

/// One of each rank from `begin` to `end` - 1.
Value contributions(Rank begin, Rank end) {
  std::vector<Rank> ranks;
  for (Rank r = begin; r < end; ++r) ranks.push_back(r);
  Value value;
  value.insert(ranks.begin(), ranks.end());
  return value;
}

}  // namespace

std::uint64_t total_chunks(const Problem& p) {
  const std::uint64_t ranks = p.ranks, k = p.chunks;
  switch (p.collective) {
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::barrier:
    case Collective::reduce_scatter:
      return ranks * k;
    case Collective::alltoall:
      return ranks * ranks * k;
    default:
      return k;
  }
}

bool is_reduction(const Problem& p, Chunk chunk) {
  switch (p.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
      return true;
    case Collective::custom:
      for (const auto& line : p.custom->post()) {
        if (line.reduced && named(line, chunk)) return true;
      }
      return false;
    default:
      return false;
  }
}

bool starts(const Problem& p, Rank rank, Chunk chunk) {
  const Chunk block = chunk / p.chunks;
  switch (p.collective) {
    case Collective::broadcast:
    case Collective::scatter:
      return rank == p.root;
    case Collective::gather:
    case Collective::allgather:
    case Collective::barrier:
      return rank == block;
    case Collective::alltoall:
      return rank == block / p.ranks;
    case Collective::custom:
      for (const auto& line : p.custom->pre()) {
        if (line.rank == rank && named(line, chunk)) return true;
      }
      return false;
    default:  // reductions: its own contribution
      return true;
  }
}

bool wanted(const Problem& p, Rank rank, Chunk chunk) {
  const Chunk block = chunk / p.chunks;
  switch (p.collective) {
    case Collective::gather:
    case Collective::reduce:
      return rank == p.root;
    case Collective::scatter:
    case Collective::reduce_scatter:
      return rank == block;
    case Collective::alltoall:
      return rank == block % p.ranks;
    case Collective::exscan:
      return rank != 0;
    case Collective::custom:
      for (const auto& line : p.custom->post()) {
        if (line.rank == rank && named(line, chunk)) return true;
      }
      return false;
    default:
      return true;
  }
}

Value goal(const Problem& p, Rank rank, Chunk chunk) {
  if (!is_reduction(p, chunk)) return {};
  if (p.collective == Collective::scan) return contributions(0, rank + 1);
  if (p.collective == Collective::exscan) return contributions(0, rank);
  std::vector<Rank> ranks;
  for (Rank r = 0; r < p.ranks; ++r) {
    if (starts(p, r, chunk)) ranks.push_back(r);
  }
  Value value;
  value.insert(ranks.begin(), ranks.end());
  return value;
}

bool is_interval(const Problem& p, Chunk chunk, const Value& value) {
  for (Rank r = 0; r < p.ranks; ++r) {
    const bool between = !value.empty() && *value.begin() < r && r < *(value.end() - 1);
    if (between && starts(p, r, chunk) && value.count(r) == 0) return false;
  }
  return true;
}

}  // namespace naive
