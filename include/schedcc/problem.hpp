#pragma once

// What a schedule is for: a collective, its ranks and its chunks, who holds what before and after.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/schedule.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

enum class Collective : std::uint8_t {
  broadcast,
  scatter,
  gather,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
  custom,
};

/// What schedcc knows of a collective; the table is in model/collectives.cpp.
struct CollectiveInfo {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  bool rooted;     ///< has a root
  bool reduction;  ///< combines contributions (custom: decided by its `post` lines)
  /// How the chunks are numbered: K of them (0), K per block (1), K per pair of ranks (2).
  int blocks;
};

std::span<const CollectiveInfo> collectives();
const CollectiveInfo& info(Collective collective);

/// A run of chunks [first, first + count).
struct Run {
  Chunk first;
  std::uint32_t count;
  friend bool operator==(const Run&, const Run&) = default;
};

/// One `pre` or `post` line of a custom collective.
struct Holding {
  Rank rank;
  std::vector<Run> runs;  ///< as written, in order
  bool reduced = false;   ///< post lines only
};

/// The start and goal of a custom collective, digested for look-up.
class Custom {
 public:
  /// Runs must lie within `chunks` (checked by the reader). `title` is for reports: what the
  /// collective is ("allgather, irregular blocks"); empty if there is nothing to say.
  Custom(std::vector<Holding> pre, std::vector<Holding> post, std::string title = {});

  const std::string& title() const { return title_; }
  std::span<const Holding> pre() const { return pre_; }
  std::span<const Holding> post() const { return post_; }
  /// Does rank `rank` start with chunk `chunk`?
  bool starts_with(Rank rank, Chunk chunk) const;
  /// The merged runs that `rank` starts with, ascending; none if it has nothing.
  std::span<const Run> start_of(Rank rank) const;
  /// How many chunks of the run does rank `rank` start with?
  std::uint64_t starts_in(Rank rank, const Run& run) const;
  /// Is it a reduction chunk, that is, is it named in a `reduced` post?
  bool reduced(Chunk chunk) const;
  /// Are all chunks of the run reduction chunks?
  bool reduced(const Run& run) const;
  /// The reduction chunks, merged and ascending.
  std::span<const Run> reduced_runs() const { return reduced_; }
  bool reduction() const { return !reduced_.empty(); }
  /// The ranks that start with `chunk`, ascending.
  std::vector<Rank> holders(Chunk chunk) const;
  /// The first chunk above `chunk` at which holders or `reduced` may differ; UINT32_MAX + 1 if
  /// none.
  std::uint64_t same_until(Chunk chunk) const;
  /// The first chunk above `chunk` at which `starts_with(rank, ...)` or `reduced` may differ, or
  /// UINT32_MAX + 1.
  std::uint64_t same_until(Rank rank, Chunk chunk) const;
  /// (rank, runs) with the runs merged and ascending, by rank: what `pre` says, and what `post`
  /// does.
  std::span<const Holding> starts() const { return starts_; }
  std::span<const Holding> goals() const { return goals_; }

 private:
  std::string title_;
  std::vector<Holding> pre_, post_;
  std::vector<Holding> starts_, goals_;     ///< one per rank, runs merged, ascending
  std::vector<std::uint32_t> start_index_;  ///< in starts_ by rank, unless most ranks have none
  std::vector<Run> reduced_;
  std::vector<std::uint64_t> borders_;  ///< first chunks and ends of all runs, ascending
};

/// A problem. Limits: ranks below 2^32 - 1, K at most 2^31 - 1, the total number of chunks below
/// 2^32.
struct Problem {
  Collective collective = Collective::broadcast;
  Rank ranks = 1;
  Rank root = 0;             ///< 0 where the collective has none
  std::uint32_t chunks = 1;  ///< K; for custom collectives the total
  bool ordered = false;      ///< the operator is not commutative (reductions only)
  std::shared_ptr<const Custom> custom = nullptr;  ///< set exactly for Collective::custom

  /// The collective's name, or what a custom one says that it is.
  std::string_view name() const;
  /// The number of chunks in all: K, P*K or P*P*K.
  std::uint64_t total_chunks() const;
  /// Does a chunk of this problem gather contributions?
  bool reduction() const;
  bool rooted() const { return info(collective).rooted; }
  /// Throws InputError where a limit is broken or the root is not a rank.
  void validate() const;

  /// Does `rank` hold `chunk` at the start (its own contribution, for reductions)?
  bool starts_with(Rank rank, Chunk chunk) const;
  /// Standard collectives: what ranks hold at the start, rank r the chunks from r * stride on.
  struct Start {
    std::uint32_t stride, count;
    bool everywhere;  ///< or only at the root
    Rank root;
    Run of(Rank rank) const { return {rank * stride, everywhere || rank == root ? count : 0}; }
    bool has(Rank rank, Chunk chunk) const {
      // Chunks before rank * stride are far behind it in arithmetic modulo 2^32.
      return chunk - rank * stride < count && (everywhere || rank == root);
    }
  };
  Start start() const;
  /// Is `chunk` one that gathers contributions?
  bool reduced(Chunk chunk) const;
  /// Ranks with something to receive or keep at the end, and the runs that each must hold.
  /// Standard collectives: `repeat` runs of `run.count` chunks, `stride` apart.
  struct Goal {
    Run run;
    std::uint32_t repeat = 1;
    std::uint64_t stride = 0;
    std::uint64_t size() const { return std::uint64_t{run.count} * repeat; }
    /// Run `i` of `repeat`.
    Run part(std::uint32_t i) const {
      return {static_cast<Chunk>(run.first + i * stride), run.count};
    }
  };
  Goal goal(Rank rank) const;
};

/// The number of chunks of each block of a collective: P of them, of an alltoall P * P, at most
/// 2^31 - 1 chunks together. Empty blocks are allowed.
using BlockSizes = std::vector<std::uint32_t>;

/// Where blocks of these sizes begin, one behind the other, and at last where they all end. Throws
/// InputError where they have too many chunks.
std::vector<Chunk> block_offsets(const BlockSizes& sizes);

/// How many blocks a collective over `ranks` ranks has; 0 if its chunks are in no blocks.
std::uint64_t block_count(Collective collective, Rank ranks);

/// The same collective with irregular blocks (the v-collectives): block b has sizes[b] chunks,
/// which follow those of block b - 1. A custom problem; if all blocks are empty it has one chunk
/// that nobody has or wants. Throws InputError if `sizes` do not fit.
Problem with_block_sizes(const Problem& problem, const BlockSizes& sizes);

/// "broadcast, 8 ranks, root 0, 3 chunks": for messages.
std::string describe(const Problem& problem);

/// The collective of this name. Throws InputError with the nearest names if there is none.
Collective find_collective(std::string_view name);

}  // namespace schedcc

#pragma GCC visibility pop
