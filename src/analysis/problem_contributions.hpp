#pragma once

// The starts and goals of a problem, as collections of contributions.
//
// A rank starts with its own contribution to a reduction chunk, or with nothing. If the chunk is in
// its goal it must end with the contributions of all ranks that start with it; in a scan, of those
// up to its own. If a chunk is only copied, starts and goals are its value. The chunks of a custom
// collective that have the same contributors follow one another, in segments.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/contributions.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Ranks and chunks are those of the problem. The problem and the contributions outlive it.
class ProblemContributions {
 public:
  using Id = Contributions::Id;

  ProblemContributions(const Problem& problem, Contributions& contributions)
      : problem_(problem), contributions_(contributions), starts_(problem) {}

  /// The contributions to a chunk that `rank` starts with.
  Id start(Rank rank, Chunk chunk) {
    if (!starts_.has(rank, chunk)) return Contributions::empty;
    return problem_.reduced(chunk) ? contributions_.only(rank) : Contributions::value;
  }
  /// The contributions to a chunk that `rank` must end with, if the chunk is in its goal.
  Id goal(Rank rank, Chunk chunk);

  /// All contributions to a chunk. In a problem in which all ranks end with the same sums.
  Id whole(Chunk chunk);
  /// Are these contributions to a chunk those of an interval of ranks? In a custom collective, of
  /// the ranks that contribute to the chunk at all.
  bool in_order(Id id, Chunk chunk);

  /// Calls f(run, contributions to each of its chunks that `rank` starts with) for the parts of a
  /// run, in ascending order.
  template <typename F>
  void each_start(Rank rank, Run run, F f) {
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const auto first = static_cast<Chunk>(chunk);
      chunk = std::min(end(run), starts_.same_until(rank, first));
      f(Run{first, static_cast<std::uint32_t>(chunk - first)}, start(rank, first));
    }
  }
  /// The same for the contributions that it must end with.
  template <typename F>
  void each_goal(Rank rank, Run run, F f) {
    if (starts_.by_formula()) return f(run, goal(rank, run.first));
    auto segment = segment_of(run.first);
    for (std::uint64_t chunk = run.first; chunk < end(run); ++segment) {
      const std::uint64_t until = std::min(end(run), (segment + 1)->from);
      f(Run{static_cast<Chunk>(chunk), static_cast<std::uint32_t>(until - chunk)}, segment->id);
      chunk = until;
    }
  }
  /// The same for all contributions, given that all ranks end with the same sums.
  template <typename F>
  void each_whole(Run run, F f) {
    if (starts_.by_formula()) return f(run, whole(run.first));
    each_goal(0, run, f);
  }

 private:
  /// The chunks `from`, `from` + 1, ... up to the next segment.
  struct Segment {
    std::uint64_t from;
    Id id;
  };
  using Segments = std::vector<Segment>;

  Segments::const_iterator segment_of(Chunk chunk);
  void make_segments();

  const Problem& problem_;
  Contributions& contributions_;
  Starts starts_;
  Segments segments_;                ///< custom collectives; built on demand
  Id whole_ = Contributions::empty;  ///< standard collectives: of each chunk; made on demand
};

/// The contributions to each chunk at each node, for transfers applied one by one. Memory:
/// proportional to the changes. (Holdings is for many transfers.)
class HeldContributions {
 public:
  using Id = Contributions::Id;

  HeldContributions(const Problem& problem, Contributions& contributions)
      : ranks_(problem.ranks), ends_(problem, contributions) {}

  /// The contributions to a chunk at `node`, to be changed.
  Id& at(Rank node, Chunk chunk) {
    const auto [held, added] = held_.try_emplace(key(node, chunk), Contributions::empty);
    if (added) held->second = start(node, chunk);
    return held->second;
  }
  Id of(Rank node, Chunk chunk) {
    const auto held = held_.find(key(node, chunk));
    return held == held_.end() ? start(node, chunk) : held->second;
  }
  /// The contributions that it must end with, if the chunk is in its goal.
  Id goal(Rank rank, Chunk chunk) { return ends_.goal(rank, chunk); }

 private:
  static std::uint64_t key(Rank node, Chunk chunk) { return std::uint64_t{node} << 32 | chunk; }
  /// Nodes that are not ranks start with nothing.
  Id start(Rank node, Chunk chunk) {
    return node < ranks_ ? ends_.start(node, chunk) : Contributions::empty;
  }

  Rank ranks_;
  ProblemContributions ends_;
  std::unordered_map<std::uint64_t, Id> held_;
};

}  // namespace schedcc
