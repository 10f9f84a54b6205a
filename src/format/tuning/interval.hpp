#pragma once

// Ranges of sizes and of numbers of ranks.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/counted.hpp"

namespace schedcc {

/// The numbers first..last, both included; last = UINT64_MAX: unbounded.
struct Interval {
  std::uint64_t first = 0, last = UINT64_MAX;
  friend bool operator==(const Interval&, const Interval&) = default;

  bool contains(std::uint64_t number) const { return first <= number && number <= last; }
  bool contains(const Interval& other) const { return first <= other.first && other.last <= last; }
};

/// "4..7", "4", "4..", or "all".
inline std::string text(const Interval& interval) {
  if (interval.last == UINT64_MAX) {
    return interval.first == 0 ? "all" : fmt::format("{}..", interval.first);
  }
  if (interval.first == interval.last) return fmt::format("{}", interval.first);
  return fmt::format("{}..{}", interval.first, interval.last);
}

/// "4..7 bytes", "1 byte", "4 bytes or more"; empty if unbounded.
inline std::string interval_text(const Interval& interval, std::string_view noun) {
  if (interval == Interval{}) return {};
  const std::string first = counted(interval.first, noun);
  if (interval.last == UINT64_MAX) return first + " or more";
  return interval.first == interval.last ? first : fmt::format("{} {}s", text(interval), noun);
}

/// "4..7 bytes", "1 byte", "4 bytes or more", or "all sizes".
inline std::string sizes_text(const Interval& interval) {
  return interval == Interval{} ? "all sizes" : interval_text(interval, "byte");
}

/// "4..7 ranks", "1 rank", "4 ranks or more", or "any number of ranks".
inline std::string ranks_text(const Interval& interval) {
  return interval == Interval{} ? "any number of ranks" : interval_text(interval, "rank");
}

/// "bcast of 1 byte on 4..7 ranks", without what is not restricted.
inline std::string calls_text(const std::string& collective, const Interval& ranks,
                              const Interval& bytes) {
  std::string result = collective;
  if (bytes != Interval{}) result += " of " + sizes_text(bytes);
  if (ranks != Interval{}) result += " on " + ranks_text(ranks);
  return result;
}

/// The numbers in both.
inline std::optional<Interval> overlap(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.first, b.first), std::min(a.last, b.last)};
  if (both.first > both.last) return std::nullopt;
  return both;
}

/// A union of intervals. All functions take time linear in the number of stored intervals, at
/// worst.
class IntervalSet {
 public:
  void add(Interval interval) {
    // Those that overlap it or are next to it become one with it.
    const auto first = std::ranges::find_if(all_, [&](const Interval& known) {
      return known.last == UINT64_MAX || known.last + 1 >= interval.first;
    });
    auto end = first;
    for (; end != all_.end() && (interval.last == UINT64_MAX || end->first <= interval.last + 1);
         ++end) {
      interval.first = std::min(interval.first, end->first);
      interval.last = std::max(interval.last, end->last);
    }
    all_.insert(all_.erase(first, end), interval);
  }

  /// The ranges of `interval` that are not covered, ascending.
  std::vector<Interval> gaps(const Interval& interval) const {
    std::vector<Interval> result;
    std::uint64_t at = interval.first;
    for (const Interval& next : all_) {
      if (next.last < at) continue;
      if (next.first > interval.last) break;
      if (next.first > at) result.push_back({at, next.first - 1});
      if (next.last >= interval.last) return result;
      at = next.last + 1;
    }
    result.push_back({at, interval.last});
    return result;
  }

  /// The first of them; none if all are covered.
  std::optional<Interval> first_gap(const Interval& interval) const {
    const std::vector<Interval> all = gaps(interval);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }

  bool covers(const Interval& interval) const { return gaps(interval).empty(); }

  /// Disjoint intervals, ascending.
  const std::vector<Interval>& all() const { return all_; }

  /// From the least number to the largest; none if it is empty.
  std::optional<Interval> span() const {
    if (all_.empty()) return std::nullopt;
    return Interval{all_.front().first, all_.back().last};
  }

 private:
  std::vector<Interval> all_;
};

}  // namespace schedcc
