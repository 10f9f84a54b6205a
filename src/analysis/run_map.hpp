#pragma once

// A value for each chunk, in memory proportional to the runs of equal values.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "model/runs.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// All chunks start as T{}.
template <typename T>
class RunMap {
 public:
  void assign(Run run, T value) {
    auto next = from_.lower_bound(run.first);
    const T before = next == from_.begin() ? T{} : std::prev(next)->second;
    T after = before;
    while (next != from_.end() && next->first <= end(run)) {
      after = next->second;
      next = from_.erase(next);
    }
    if (value != before) from_.emplace_hint(next, run.first, value);
    if (after != value) from_.emplace_hint(next, end(run), after);
  }

  /// Calls f(run, value) for the runs of equal values that make up `run`, in ascending order.
  template <typename F>
  void each(Run run, F f) const {
    auto next = from_.upper_bound(run.first);
    T value = next == from_.begin() ? T{} : std::prev(next)->second;
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const bool ends = next == from_.end() || next->first >= end(run);
      const std::uint64_t until = ends ? end(run) : next->first;
      f(Run{static_cast<Chunk>(chunk), static_cast<std::uint32_t>(until - chunk)}, value);
      if (!ends) value = (next++)->second;
      chunk = until;
    }
  }

 private:
  std::map<std::uint64_t, T> from_;  ///< by first chunk: the value up to the next entry
};

}  // namespace schedcc
