#pragma once

// The order in which tables of (node, chunk) keep the chunks of an alltoall.
//
// They are numbered by origin first, but a node ends with, or passes on together, what is for one
// destination, from neighbouring origins: these chunks are P blocks apart. And at the same time
// neighbouring nodes have those from origins at the same distance.

#include <algorithm>
#include <cstdint>

#include "analysis/layout.hpp"
#include "core/divider.hpp"
#include "model/runs.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// An order of all chunks for each node, in which those for one destination, its column, are
/// contiguous: first the node's own column, then those of the ranks after it. In a column the
/// blocks come in the order of their origins, downwards from the node itself. Nodes that are no
/// ranks have the order of rank 0. Of a part of the chunks, those of some origins, columns have
/// these alone, in the same order but for a rotation.
class AlltoallColumns {
 public:
  explicit AlltoallColumns(const Problem& problem)
      : AlltoallColumns(problem, all_chunks(problem)) {}
  /// `part`: all chunks of some origins.
  AlltoallColumns(const Problem& problem, const Run& part)
      : K_(problem.chunks),
        P_(problem.ranks),
        first_origin_(by_row(problem, part.first)),
        origins_(std::max(1U, by_row(problem, part.count))),
        by_K_(problem.chunks),
        by_P_(problem.ranks),
        by_origins_(origins_) {}

  /// The position of a chunk in the order of `node`.
  std::uint64_t position(Rank node, Chunk chunk) const {
    const std::uint32_t block = by_K_(chunk), o = by_P_(block), d = block - o * P_;
    const std::uint32_t first = node < P_ ? node : 0;
    const std::uint64_t column = d >= first ? d - first : d + P_ - first;
    const std::uint64_t distance =
        origins_ == P_ ? (first >= o ? first - o : first + P_ - o) : in_part(first + P_ - o);
    return (column * origins_ + distance) * K_ + (chunk - block * K_);
  }
  /// The chunk at a position.
  Chunk chunk(Rank node, std::uint64_t position) const {
    const std::uint64_t K = K_, P = P_;
    const std::uint64_t first = node < P ? node : 0;
    const std::uint64_t d = (position / (origins_ * K) + first) % P;
    const std::uint64_t origin = first + P - position / K % origins_;  // modulo their number
    const std::uint64_t next = (first_origin_ / origins_ + 1) * origins_ - first_origin_;
    const std::uint64_t o = first_origin_ + (origin + next) % origins_;
    return static_cast<Chunk>((o * P + d) * K + position % K);
  }
  /// Calls f(run) for the runs of chunks at neighbouring positions.
  template <typename F>
  void each_run(Rank node, Run positions, F f) const {
    for (std::uint64_t at = positions.first; at < end(positions);) {
      const std::uint64_t until = std::min(end(positions), (at / K_ + 1) * K_);
      f(Run{chunk(node, at), static_cast<std::uint32_t>(until - at)});
      at = until;
    }
  }
  /// The end of the chunk's block, up to which positions ascend with chunks.
  std::uint64_t block_end(Chunk chunk) const { return (std::uint64_t{by_K_(chunk)} + 1) * K_; }

  /// How many origins' chunks there are in a column.
  std::uint32_t origins() const { return origins_; }
  bool has_origin(Rank rank) const { return rank - first_origin_ < origins_; }

 private:
  static std::uint32_t by_row(const Problem& problem, std::uint32_t chunks) {
    return chunks / problem.chunks / problem.ranks;
  }
  std::uint32_t in_part(std::uint32_t distance) const {
    return distance - by_origins_(distance) * origins_;
  }

  std::uint32_t K_, P_;
  std::uint32_t first_origin_, origins_;
  Divider by_K_, by_P_, by_origins_;
};

/// The layout for a table of (node, chunk), for a part of the chunks, in the order of
/// AlltoallColumns for an alltoall. There many nodes share a block, and each has few chunks in it:
/// what a node has for one destination may be little.
template <std::uint32_t size>
Layout<size> layout_for(const Problem& problem, std::uint64_t nodes, const Run& part) {
  constexpr std::uint32_t window = size > 64 ? 8 : 4;
  if (problem.collective != Collective::alltoall) return {nodes, part};
  // Blocks of many chunks fill a window by themselves.
  return {nodes, part.count, problem.chunks > window ? 8 : size / window};
}

}  // namespace schedcc
