#include "check/period/cuts.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace schedcc {

namespace {

using Range = Repetition::Range;
using Life = Cuts::Life;

/// Numbers begin..end-1.
struct Interval {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  bool includes(const Range& range) const {
    return range.empty() || (range.first >= begin && range.last < end);
  }
};

/// The longest interval of numbers in `within` that all have a property.
template <typename Property>
Interval longest_run(const Interval& within, Property property) {
  Interval longest, run{within.begin, within.begin};
  for (std::uint64_t i = within.begin; i < within.end; ++i) {
    if (property(i)) {
      run.end = i + 1;
      if (run.size() > longest.size()) longest = run;
    } else {
      run = {i + 1, i + 1};
    }
  }
  return longest;
}

class CutSearch {
 public:
  CutSearch(const std::vector<Region>& regions, const std::vector<Range>& ranges,
            std::uint64_t chunks)
      : regions_(regions), ranges_(ranges), chunks_(chunks), lives_(regions.size()) {}

  std::optional<Cuts> run() {
    if (chunks_ > most_work || !join_periods() || !read_lives()) return std::nullopt;
    find_alike();
    find_rows();
    const std::uint64_t most = most_periods();
    // The more are cut out, the less freedom is left to let the gaps between cuts meet.
    for (std::uint64_t n = most; n > 0 && 2 * n > most; n -= std::min(n, most / 16 + 1)) {
      if (auto cuts = place(n)) {
        cuts->lives = std::move(lives_);
        return cuts;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 26;

  std::size_t phases() const { return regions_.size(); }
  bool rising(std::size_t phase) const { return regions_[phase].period.chunks > 0; }

  /// Makes periods of U chunks each, so many of those in the regions together.
  bool join_periods() {
    for (const Region& region : regions_) {
      U_ = std::lcm(U_, region.period.size());
      if (U_ > chunks_) return false;
    }
    for (Region& region : regions_) {
      Period& period = region.period;
      const std::uint64_t k = U_ / period.size();
      const std::uint64_t more = (k - 1) * period.rows;
      if (region.end - region.begin <= more) return false;
      region.end -= more;
      period = {k * period.rows, k * period.steps, static_cast<std::int64_t>(k) * period.chunks};
    }
    return true;
  }

  bool read_lives() {
    std::uint64_t left = most_work;
    for (std::size_t phase = 0; phase < phases(); ++phase) {
      lives_[phase].resize(chunks_);
      const Interval rows = rows_of(phase);
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
        const Range& range = ranges_[row];
        if (range.empty()) continue;
        const std::uint64_t chunks = range.last - range.first + 1;
        if (range.last >= chunks_ || chunks > left) return false;
        left -= chunks;
        for (std::uint64_t c = range.first; c <= range.last; ++c) {
          Life& life = lives_[phase][c];
          life.first = std::min(life.first, static_cast<std::uint32_t>(row));
          life.last = static_cast<std::uint32_t>(row);
        }
      }
    }
    return true;
  }

  Interval rows_of(std::size_t phase) const {
    return {phase == 0 ? 0 : regions_[phase].begin,
            phase + 1 == phases() ? ranges_.size() : regions_[phase + 1].begin};
  }

  void find_alike() {
    const Interval run = longest_run({0, chunks_ - U_}, [&](std::uint64_t d) {
      for (std::size_t phase = 0; phase < phases(); ++phase) {
        if (!alike(phase, d)) return false;
      }
      return true;
    });
    lo_ = run.begin;
    hi_ = run.end;
  }

  /// Are the parts of the lives of d and d + U alike in this phase, by repetition?
  bool alike(std::size_t phase, std::uint64_t d) const {
    const Region& region = regions_[phase];
    Life earlier = lives_[phase][d], later = lives_[phase][d + U_];
    if (!rising(phase)) std::swap(earlier, later);
    if (earlier.empty() || later.empty()) return earlier.empty() && later.empty();
    return earlier.first >= region.begin && earlier.last < region.end &&
           later.first >= region.begin + region.period.rows &&
           later.last < region.end + region.period.rows;
  }

  /// The rows of each region, and their repetitions, in which there are only such chunks.
  void find_rows() {
    const Interval inner{lo_ + U_, hi_};
    for (const Region& region : regions_) {
      inner_rows_.push_back(
          longest_run({region.begin, region.end + region.period.rows}, [&](std::uint64_t row) {
            return inner.end > inner.begin && inner.includes(ranges_[row]);
          }));
    }
  }

  std::uint64_t most_periods() const {
    std::uint64_t most = (hi_ - lo_) / U_;
    for (std::size_t phase = 0; phase < phases(); ++phase) {
      // One period is left before those cut out, and one after them.
      const std::uint64_t periods = inner_rows_[phase].size() / regions_[phase].period.rows;
      most = std::min(most, periods - std::min<std::uint64_t>(periods, 2));
    }
    return most;
  }

  /// n periods cut out, so that few rows are left between the first cut and the last one.
  std::optional<Cuts> place(std::uint64_t n) const {
    Cuts cuts;
    cuts.n = n;
    cuts.chunks = n * U_;
    cuts.chunks_of_period = U_;
    for (std::size_t phase = 0; phase < phases(); ++phase) {
      const Interval& rows = inner_rows_[phase];
      const Period& period = regions_[phase].period;
      const std::uint64_t room = rows.size() - (n + 2) * period.rows;
      const bool first = phase == 0, last = phase + 1 == phases();
      const std::uint64_t x = rows.begin + period.rows + (last ? 0 : first ? room : room / 2);
      cuts.places.push_back({x, x + n * period.rows, period});
    }
    for (std::size_t segment = 0; segment <= phases(); ++segment) {
      const auto gap = find_gap(cuts, segment);
      if (!gap) return std::nullopt;
      cuts.gaps.push_back(*gap);
    }
    for (std::size_t phase = 0; phase < phases(); ++phase) {
      if (!fits(cuts, phase)) return std::nullopt;
    }
    return cuts;
  }

  /// The first of S chunks which are alike with one another, and in no row of the segment.
  std::optional<std::uint64_t> find_gap(const Cuts& cuts, std::size_t segment) const {
    std::vector<bool> present(chunks_);
    const std::uint64_t begin = segment == 0 ? 0 : cuts.places[segment - 1].y;
    const std::uint64_t end = segment == phases() ? ranges_.size() : cuts.places[segment].x;
    for (std::uint64_t row = begin; row < end; ++row) {
      const Range& range = ranges_[row];
      for (std::uint64_t c = range.first; c <= range.last; ++c) present[c] = true;
    }
    const Interval run = longest_run({lo_, hi_ + U_}, [&](std::uint64_t c) { return !present[c]; });
    if (run.size() < cuts.chunks) return std::nullopt;
    return is_high(segment) ? run.end - cuts.chunks : run.begin;
  }

  /// Before a cut with rising chunks, and after one with falling ones, the high chunks are missing.
  bool is_high(std::size_t segment) const {
    const bool before_rising = segment == phases() || rising(segment);
    const bool after_falling = segment == 0 || !rising(segment - 1);
    return before_rising && after_falling;
  }

  /// Do the chunks in the rows of a cut give way to one another as the gaps say?
  bool fits(const Cuts& cuts, std::size_t phase) const {
    const std::uint64_t before = cuts.gaps[phase], after = cuts.gaps[phase + 1];
    if (rising(phase) ? before < after : before > after) return false;
    const Interval moved{std::min(before, after), std::max(before, after) + cuts.chunks};
    for (std::uint64_t row = cuts.places[phase].x; row < cuts.places[phase].y; ++row) {
      if (!moved.includes(ranges_[row])) return false;
    }
    return true;
  }

  std::vector<Region> regions_;
  const std::vector<Range>& ranges_;
  std::uint64_t chunks_, U_ = 1;
  std::vector<std::vector<Life>> lives_;  ///< by phase and chunk
  std::uint64_t lo_ = 0, hi_ = 0;         ///< chunk d of lo_..hi_-1 is alike with d + U
  std::vector<Interval> inner_rows_;
};

}  // namespace

std::uint64_t Cuts::rows() const {
  std::uint64_t result = 0;
  for (const Place& place : places) result += place.y - place.x;
  return result;
}

std::optional<Cuts> find_cuts(const std::vector<Region>& regions,
                              const std::vector<Repetition::Range>& ranges, std::uint64_t chunks) {
  if (regions.empty()) return std::nullopt;
  return CutSearch(regions, ranges, chunks).run();
}

}  // namespace schedcc
