#pragma once

// The table of collectives: the chunks of each rank at the start, and those required at the end.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// What a place holds of a chunk: contributions by rank, ascending, each as often as it is
/// included. A chunk that is not a reduction chunk has one value only, for which the empty
/// collection stands.
class Value {
 public:
  Value() = default;
  Value(std::initializer_list<Rank> ranks) { insert(ranks.begin(), ranks.end()); }

  template <typename Iterator>
  void insert(Iterator first, Iterator last) {
    ranks_.insert(ranks_.end(), first, last);
    std::sort(ranks_.begin(), ranks_.end());
  }
  void clear() { ranks_.clear(); }

  auto begin() const { return ranks_.begin(); }
  auto end() const { return ranks_.end(); }
  bool empty() const { return ranks_.empty(); }
  auto count(Rank rank) const { return std::count(begin(), end(), rank); }
  /// Is a contribution included twice or more?
  bool overcounted() const { return std::adjacent_find(begin(), end()) != end(); }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::vector<Rank> ranks_;
};

std::uint64_t total_chunks(const Problem& p);

bool is_reduction(const Problem& p, Chunk chunk);

/// Has the rank the chunk, or a contribution to it, at the beginning?
bool starts(const Problem& p, Rank rank, Chunk chunk);

/// Is it said what `rank` must hold of `chunk` at the end?
bool wanted(const Problem& p, Rank rank, Chunk chunk);

/// What that is: the one value, or every contribution exactly once.
Value goal(const Problem& p, Rank rank, Chunk chunk);

/// Do the contributions come from a run of ranks without a gap? (Ranks that do not contribute to
/// the chunk at all make no gap: there is nothing of theirs to come between the others.)
bool is_interval(const Problem& p, Chunk chunk, const Value& value);

}  // namespace naive
