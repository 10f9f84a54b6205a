#pragma once

// The definitions of the collectives: the chunks of a rank before and after. Results are compared
// with these, which do not depend on schedules.

#include <cstdint>
#include <string>
#include <vector>

#include "schedcc/mpi/table.hpp"

namespace schedcc::mpi {

inline bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

/// Standard collectives that combine all chunks that ranks start with.
inline bool combines(const Problem& p) {
  return is_one_of(p.collective, {"reduce", "allreduce", "reduce-scatter", "scan", "exscan"});
}

/// Does the collective have any chunk that is combined?
inline bool reduction(const Problem& p) {
  return combines(p) ||
         std::any_of(p.post.begin(), p.post.end(), [](const Holding& h) { return h.reduced; });
}

/// The chunks of all blocks together.
inline std::uint64_t total_chunks(const Problem& p) {
  const bool blocks =
      is_one_of(p.collective, {"scatter", "gather", "allgather", "barrier", "reduce-scatter"});
  const std::uint64_t ranks = p.ranks;
  const std::uint64_t count = p.collective == "alltoall" ? ranks * ranks : blocks ? ranks : 1;
  if (p.chunks > UINT32_MAX / std::max<std::uint64_t>(count, 1)) throw Error("too many chunks");
  return p.chunks * count;
}

/// Throws Error unless the numbers of a problem are consistent.
inline void expect_consistent(const Problem& p) {
  if (p.chunks == 0) throw Error("a collective has at least one chunk");
  if (p.root >= p.ranks) {
    throw Error("rank " + std::to_string(p.root) + " of " + std::to_string(p.ranks) +
                " cannot be the root");
  }
  if (const std::uint64_t total = total_chunks(p); p.total_chunks != total) {
    throw Error("the collective has " + std::to_string(total) + " chunks in all, not " +
                std::to_string(p.total_chunks));
  }
}

/// Block `b` of `per_block` chunks.
inline Run block(std::uint64_t b, std::uint32_t per_block) {
  return {static_cast<std::uint32_t>(b * per_block), per_block};
}

inline std::vector<Run> runs_of(const std::vector<Holding>& lines, std::uint32_t rank) {
  std::vector<Run> result;
  for (const Holding& h : lines) {
    if (h.rank == rank) result.push_back({h.first, h.count});
  }
  return result;
}

/// The chunks that a rank starts with (or contributes to, if they are combined).
inline std::vector<Run> starts(const Problem& p, std::uint32_t rank) {
  const std::string& c = p.collective;
  if (c == "custom") return runs_of(p.pre, rank);
  const auto total = static_cast<std::uint32_t>(p.total_chunks);
  if (c == "broadcast" || c == "scatter") {
    return rank == p.root ? std::vector<Run>{{0, total}} : std::vector<Run>{};
  }
  if (c == "gather" || c == "allgather" || c == "barrier") return {block(rank, p.chunks)};
  if (c == "alltoall") {
    return {
        {static_cast<std::uint32_t>(std::uint64_t{rank} * p.ranks * p.chunks), p.ranks * p.chunks}};
  }
  if (combines(p)) return {{0, total}};
  throw Error("unknown collective '" + c + "'");
}

/// The chunks that a rank must end with.
inline std::vector<Run> goals(const Problem& p, std::uint32_t rank) {
  const std::string& c = p.collective;
  std::vector<Run> all{{0, static_cast<std::uint32_t>(p.total_chunks)}};
  if (c == "custom") return runs_of(p.post, rank);
  if (c == "gather" || c == "reduce") return rank == p.root ? all : std::vector<Run>{};
  if (c == "scatter" || c == "reduce-scatter") return {block(rank, p.chunks)};
  if (c == "exscan" && rank == 0) return {};
  if (c != "alltoall") return all;
  std::vector<Run> result;
  for (std::uint64_t origin = 0; origin < p.ranks; ++origin) {
    result.push_back(block(origin * p.ranks + rank, p.chunks));
  }
  return result;
}

/// Is a chunk combined (or only copied)?
inline bool reduced(const Problem& p, std::uint32_t chunk) {
  return combines(p) || std::any_of(p.post.begin(), p.post.end(), [&](const Holding& h) {
           return h.reduced && chunk - h.first < h.count;
         });
}

/// The ranks, ascending, whose contributions are in the combined chunk that `rank` must end with.
inline std::vector<std::uint32_t> contributors(const Problem& p, std::uint32_t rank,
                                               std::uint32_t chunk) {
  std::vector<std::uint32_t> result;
  if (p.collective == "custom") {
    for (const Holding& h : p.pre) {
      if (chunk - h.first < h.count) result.push_back(h.rank);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  const std::uint32_t end = p.collective == "scan"     ? rank + 1
                            : p.collective == "exscan" ? rank
                                                       : p.ranks;
  for (std::uint32_t r = 0; r < end; ++r) result.push_back(r);
  return result;
}

}  // namespace schedcc::mpi
