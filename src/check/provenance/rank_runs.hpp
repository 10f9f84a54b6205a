#pragma once

// Sets of ranks, as ascending runs with gaps between them.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc::provenance {

/// Ranks first..last.
struct RankRun {
  Rank first, last;
};
using RankRuns = std::vector<RankRun>;

/// Adds ranks, none of which lies before the last run of the set.
inline void append(RankRuns& set, RankRun more) {
  if (set.empty() || more.first > std::uint64_t{set.back().last} + 1) {
    set.push_back(more);
  } else {
    set.back().last = std::max(set.back().last, more.last);
  }
}

inline RankRuns unite(std::span<const RankRun> a, std::span<const RankRun> b) {
  RankRuns result;
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();) {
    const bool from_a = j == b.end() || (i != a.end() && i->first < j->first);
    append(result, from_a ? *i++ : *j++);
  }
  return result;
}

}  // namespace schedcc::provenance
