#pragma once

// A problem: a collective, its ranks and its chunks, and the chunks of each rank before and after.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedcc/schedule.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The collective operations (docs/semantics.md, "Collectives").
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
  barrier,
  custom,
};

/// The properties of a collective; the table is in model/collectives.cpp.
struct CollectiveInfo {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  bool rooted;     ///< has a root
  bool reduction;  ///< combines contributions (custom: decided by its `post` lines)
  /// How the chunks are numbered: K of them (0), K per block (1), K per pair of ranks (2).
  int blocks;
  /// Custom: the chunks of ranks are declared one by one, and follow from no formula.
  bool declared = false;
  /// Barrier: the chunks are tokens, which have no size and may come again.
  bool tokens = false;

  /// Are the chunks numbered in blocks, one or several for each rank?
  bool in_blocks() const { return blocks > 0; }
};

/// All collectives, in the order of the enumeration.
std::span<const CollectiveInfo> collectives();
/// The properties of one.
const CollectiveInfo& info(Collective collective);

/// A run of chunks [first, first + count).
struct Run {
  Chunk first;
  std::uint32_t count;
  friend bool operator==(const Run&, const Run&) = default;
};

/// The runs of chunks that a rank starts with, or must end with: ascending, with gaps between them.
/// A view; the problem outlives it.
class Runs {
 public:
  class Iterator;

  Runs() = default;
  /// `runs` runs as long as `first`, each `stride` chunks after the previous one.
  explicit Runs(const Run& first, std::uint32_t runs = 1, std::uint64_t stride = 0)
      : first_(first), size_(first.count == 0 ? 0 : runs), stride_(stride) {}
  explicit Runs(std::span<const Run> runs) : listed_(runs.data()), size_(runs.size()) {}

  /// How many runs there are.
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Run operator[](std::size_t i) const {
    if (listed_ != nullptr) return listed_[i];
    return {static_cast<Chunk>(first_.first + i * stride_), first_.count};
  }
  Iterator begin() const;
  Iterator end() const;

  /// How many chunks the runs have together.
  std::uint64_t chunks() const { return chunks_before(std::uint64_t{1} << 32); }
  /// How many chunks of the runs lie before `chunk`.
  std::uint64_t chunks_before(std::uint64_t chunk) const;
  bool contains(Chunk chunk) const;

 private:
  const Run* listed_ = nullptr;  ///< or else a formula
  Run first_{};
  std::size_t size_ = 0;
  std::uint64_t stride_ = 0;
};

class Runs::Iterator {
 public:
  using value_type = Run;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using pointer = const Run*;
  using reference = Run;

  Iterator() = default;
  Iterator(const Runs& runs, std::size_t i) : runs_(&runs), i_(i) {}
  Run operator*() const { return (*runs_)[i_]; }
  Iterator& operator++() {
    ++i_;
    return *this;
  }
  Iterator operator++(int) { return {*runs_, i_++}; }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Runs* runs_ = nullptr;
  std::size_t i_ = 0;
};

inline Runs::Iterator Runs::begin() const { return {*this, 0}; }
inline Runs::Iterator Runs::end() const { return {*this, size_}; }

/// Ranks first..last.
struct RankInterval {
  Rank first, last;
  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};
/// Ascending, with gaps between them.
using Intervals = std::vector<RankInterval>;

/// One `pre` or `post` line of a custom collective.
struct Holding {
  Rank rank;
  std::vector<Run> runs;
  bool reduced = false;  ///< post lines only
};

/// The start and goal of a custom collective, indexed for look-up. Problem has the queries that all
/// collectives have in common.
class Custom {
 public:
  /// Runs must lie within `chunks` (checked by the reader). `title` is the collective's name in
  /// reports ("allgather, irregular blocks"); may be empty.
  Custom(std::vector<Holding> pre, std::vector<Holding> post, std::string title = {});

  /// The lines in canonical form: one of `pre` for a rank, one of `post` for its reduction chunks
  /// and one for its others, each with merged runs, ascending.
  std::span<const Holding> pre() const { return pre_; }
  std::span<const Holding> post() const { return post_; }

  /// The merged runs that `rank` starts with, ascending; none if it has nothing.
  std::span<const Run> start_of(Rank rank) const;
  /// The same of each rank that has any, ascending.
  std::span<const Holding> starts() const { return starts_; }
  /// The chunks that gather contributions: merged runs, ascending.
  std::span<const Run> reduced() const { return reduced_; }

 private:
  friend struct Problem;

  std::string title_;
  std::vector<Holding> pre_, post_;
  std::vector<Holding> starts_, goals_;     ///< one per rank, runs merged, ascending
  std::vector<std::uint32_t> start_index_;  ///< in starts_ by rank, unless most ranks have none
  std::vector<Run> reduced_;                ///< the reduction chunks, merged, ascending
  std::vector<std::uint64_t> borders_;      ///< first chunks and ends of all runs, ascending
};

/// A problem. Limits: ranks below 2^32, K at most 2^31 - 1, the total number of chunks below
/// 2^32. Starts and goals are queried in the same way for standard and custom collectives.
struct Problem {
  Collective collective = Collective::broadcast;
  Rank ranks = 1;
  Rank root = 0;             ///< 0 if the collective has none
  std::uint32_t chunks = 1;  ///< K; for custom collectives the total
  bool ordered = false;      ///< the operator is not commutative (reductions only)
  /// Custom collectives: the lines; nullptr for standard ones, and in the request to an algorithm
  /// that has a collective of its own.
  std::shared_ptr<const Custom> custom = nullptr;

  /// The collective's name, or the title of a custom one.
  std::string_view name() const;
  /// The title of a custom collective; empty if it has none, and for standard ones.
  std::string_view title() const;
  /// The number of chunks in all: K, P*K or P*P*K.
  std::uint64_t total_chunks() const;
  /// Does a chunk of this problem gather contributions?
  bool reduction() const;
  bool rooted() const { return info(collective).rooted; }
  bool in_blocks() const { return info(collective).in_blocks(); }
  /// Is it a custom collective, or one of irregular blocks? Only what reads or writes its lines, or
  /// has a formula for each collective, needs to ask.
  bool declared() const { return info(collective).declared; }
  /// Are the chunks tokens without size? They count for no volume and no bytes.
  bool tokens() const { return info(collective).tokens; }
  /// The lines of a custom collective as written; none for standard ones.
  std::span<const Holding> pre() const;
  std::span<const Holding> post() const;
  /// Throws InputError if a limit is broken, the root is not a rank, or an order is required of a
  /// collective without reductions.
  void validate() const;

  /// The chunks that `rank` holds at the start (its own contributions, for reductions).
  Runs start(Rank rank) const;
  /// The chunks that `rank` must hold at the end.
  Runs goal(Rank rank) const;
  /// Is the chunk one of start(rank), or of goal(rank)?
  bool starts_with(Rank rank, Chunk chunk) const;
  bool ends_with(Rank rank, Chunk chunk) const { return goal(rank).contains(chunk); }
  /// Calls f(rank, runs) for the ranks that start with a chunk, ascending.
  template <typename F>
  void for_each_start(F f) const;
  /// Calls f(rank, runs) for the ranks that must end with a chunk, ascending.
  template <typename F>
  void for_each_goal(F f) const;
  /// The largest number of chunks that a rank must end with.
  std::uint64_t largest_goal() const;

  /// Does `chunk` gather contributions?
  bool reduced(Chunk chunk) const;
  /// Do all chunks of the run gather contributions?
  bool reduced(const Run& run) const;
  /// The first chunk above `chunk` at which starts, goals or `reduced` may differ; UINT32_MAX + 1
  /// if none. (In standard collectives, any chunk may differ from the previous one.)
  std::uint64_t same_until(Chunk chunk) const;
  /// The ranks that start with `chunk`.
  Intervals holders(Chunk chunk) const;
  /// The holders whose contributions `rank` must end with, for a reduction chunk in its goal.
  Intervals contributors(Chunk chunk, Rank rank) const;
  /// One past the last rank that may be a contributor: P; in a scan rank + 1, in an exscan `rank`.
  Rank contributors_end(Rank rank) const;

 private:
  Runs listed_goal(Rank rank) const;
  /// Standard collectives: the ranks that start, or must end, with a chunk: [first, second).
  std::pair<Rank, Rank> starters() const;
  std::pair<Rank, Rank> goal_ranks() const;
  template <typename F>
  static void for_each(std::span<const Holding> holdings, F f) {
    for (const Holding& holding : holdings) f(holding.rank, Runs(holding.runs));
  }
};

template <typename F>
void Problem::for_each_start(F f) const {
  if (custom) return for_each(custom->starts_, f);
  const auto [first, last] = starters();
  for (Rank rank = first; rank < last; ++rank) f(rank, start(rank));
}

template <typename F>
void Problem::for_each_goal(F f) const {
  if (custom) return for_each(custom->goals_, f);
  const auto [first, last] = goal_ranks();
  for (Rank rank = first; rank < last; ++rank) f(rank, goal(rank));
}

/// A custom collective: runs of `pre` and `post` lie within `chunks`. Without lines nothing is
/// known of it. `title` as for Custom.
Problem custom_problem(Rank ranks, std::uint32_t chunks, std::vector<Holding> pre = {},
                       std::vector<Holding> post = {}, std::string title = {});

/// The number of chunks of each block of a collective: P of them, of an alltoall P * P, at most
/// 2^31 - 1 chunks together. Empty blocks are allowed.
using BlockSizes = std::vector<std::uint32_t>;

/// The offsets of consecutive blocks of these sizes, and finally their end. Throws InputError if
/// they have too many chunks.
std::vector<Chunk> block_offsets(const BlockSizes& sizes);

/// The number of blocks of a collective over `ranks` ranks; 0 if its chunks are not in blocks.
std::uint64_t block_count(Collective collective, Rank ranks);

/// The same collective with irregular blocks (the v-collectives): block b has sizes[b] chunks,
/// which follow those of block b - 1. A custom problem; if all blocks are empty it has one chunk
/// that no rank has or wants. Throws InputError if `sizes` do not fit.
Problem with_block_sizes(const Problem& problem, const BlockSizes& sizes);

/// "broadcast, 8 ranks, root 0, 3 chunks": for messages.
std::string describe(const Problem& problem);

/// The collective of this name. Throws InputError with the nearest names if there is none.
Collective find_collective(std::string_view name);
/// The collective that a user names, also by an alias such as `bcast`, which files do not have.
/// Throws InputError likewise.
Collective collective_of_user(std::string_view name);

}  // namespace schedcc

#pragma GCC visibility pop
