#pragma once

#include <cstdint>

#include "schedcc/problem.hpp"

namespace schedcc {

/// Chunks that one rank must send, and receive, in every schedule of a problem whose chunks no
/// switch copies or combines; with sums every chunk counts once, whatever it contains.
struct RankDemand {
  std::uint64_t sends = 0, receives = 0;
};

/// That of a rank; nothing for custom problems, and for barriers, whose tokens have no bytes.
inline RankDemand rank_demand(const Problem& problem, Rank rank) {
  const std::uint64_t K = problem.chunks, others = problem.ranks - 1;
  if (others == 0) return {};
  const bool root = rank == problem.root;
  switch (problem.collective) {
    case Collective::broadcast:
      return root ? RankDemand{K, 0} : RankDemand{0, K};
    case Collective::reduce:
      return root ? RankDemand{0, K} : RankDemand{K, 0};
    case Collective::scatter:
      return root ? RankDemand{others * K, 0} : RankDemand{0, K};
    case Collective::gather:
      return root ? RankDemand{0, others * K} : RankDemand{K, 0};
    case Collective::allgather:
      return {K, others * K};
    case Collective::reduce_scatter:
      return {others * K, K};
    case Collective::allreduce:
      return {K, K};
    case Collective::alltoall:
      return {others * K, others * K};
    case Collective::scan:
    case Collective::exscan:
      return {rank == others ? 0 : K, rank == 0 ? 0 : K};
    default:
      return {};
  }
}

}  // namespace schedcc
