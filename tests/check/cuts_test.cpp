// Where periods are cut out of schedules: the conditions of check/period/period.hpp, one by one, of
// cuts that were found in random rows. Only the chunks of rows matter here, and rows are repeated
// if their chunks are.

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "check/period/cuts.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"

using namespace schedcc;
using agreement::Random;

namespace {

using ChunkRange = Repetition::Range;

struct RandomRows {
  std::uint64_t chunks = 0;
  std::vector<ChunkRange> ranges;
  std::vector<Region> regions;
};

bool repeats_shifted(const RandomRows& rows, std::uint64_t row, const Period& period) {
  const ChunkRange &here = rows.ranges[row], &later = rows.ranges[row + period.rows];
  const auto shift = static_cast<std::uint64_t>(period.chunks);
  return later.first == here.first + shift && later.last == here.last + shift;
}

/// Adds a phase in which a few chunks, which rise or fall, are in each row, as far as they exist.
void add_phase(RandomRows& rows, Random& random) {
  const std::int64_t s = 1 + random.below(3), chunks = static_cast<std::int64_t>(rows.chunks);
  Period period{1U + random.below(3), 1, random.one_in(2) ? s : -s};
  const std::uint64_t begin = rows.ranges.size();
  std::vector<std::pair<std::int64_t, std::int64_t>> places(period.rows);  // first and last chunk
  for (auto& [first, last] : places) {
    first = -static_cast<std::int64_t>(random.below(9));
    last = first + random.below(6) + s;
  }
  for (std::int64_t base = 0; base < chunks + 9; base += s) {
    for (const auto& [first, last] : places) {
      std::int64_t from = std::max<std::int64_t>(0, base + first),
                   to = std::min(chunks - 1, base + last);
      if (from > to) continue;
      if (period.chunks < 0) {
        from = std::exchange(to, chunks - 1 - from);
        from = chunks - 1 - from;
      }
      rows.ranges.push_back({static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
    }
  }
  if (random.one_in(3)) {  // a row is out of order
    ChunkRange& range = rows.ranges[begin + random.below(rows.ranges.size() - begin)];
    range.first = random.below(rows.chunks);
    range.last = std::min(rows.chunks - 1, range.first + random.below(9));
  }
  Region longest, run{begin, begin, period};
  for (std::uint64_t row = begin; row + period.rows < rows.ranges.size(); ++row) {
    run.end = row + 1;
    if (!repeats_shifted(rows, row, period)) run.begin = run.end;
    if (run.end - run.begin > longest.end - longest.begin) longest = run;
  }
  if (longest.end > longest.begin) rows.regions.push_back(longest);
}

/// The conditions, by their words.
class Conditions {
 public:
  Conditions(const RandomRows& rows, const Cuts& cuts) : rows_(rows), cuts_(cuts) {
    for (std::uint64_t d = 0; d + U() < rows.chunks; ++d) alike_.push_back(is_alike(d));
    // The chunks around the gaps that are alike with the next ones.
    for (hi_ = lo_ = cuts.gaps[0]; hi_ < alike_.size() && alike_[hi_];) ++hi_;
    while (lo_ > 0 && alike_[lo_ - 1]) --lo_;
  }

  void require() const {
    CHECK(cuts_.n > 0);
    CHECK(cuts_.chunks == cuts_.n * U());
    CHECK(hi_ - lo_ >= cuts_.chunks);
    for (std::size_t segment = 0; segment < cuts_.gaps.size(); ++segment) require_gap(segment);
    for (std::size_t phase = 0; phase < cuts_.places.size(); ++phase) require_cut(phase);
  }

 private:
  std::uint64_t U() const { return cuts_.chunks_of_period; }

  /// The rows of a phase with the chunk.
  std::set<std::uint64_t> life(std::size_t phase, std::uint64_t chunk) const {
    std::set<std::uint64_t> result;
    const bool last = phase + 1 == rows_.regions.size();
    const std::uint64_t end = last ? rows_.ranges.size() : rows_.regions[phase + 1].begin;
    for (std::uint64_t row = phase == 0 ? 0 : rows_.regions[phase].begin; row < end; ++row) {
      if (rows_.ranges[row].first <= chunk && chunk <= rows_.ranges[row].last) result.insert(row);
    }
    return result;
  }

  /// Is d alike with d + U in each phase, by repetition?
  bool is_alike(std::uint64_t d) const {
    for (std::size_t phase = 0; phase < cuts_.places.size(); ++phase) {
      const Period& period = cuts_.places[phase].period;
      const Region& region = rows_.regions[phase];
      const bool rises = period.chunks > 0;
      std::set<std::uint64_t> later;
      for (const std::uint64_t row : life(phase, rises ? d : d + U())) {
        if (row < region.begin || row + period.rows >= region.end + region.period.rows)
          return false;
        later.insert(row + period.rows);
      }
      if (later != life(phase, rises ? d + U() : d)) return false;
    }
    return true;
  }

  void require_gap(std::size_t segment) const {
    const std::uint64_t gap = cuts_.gaps[segment];
    CHECK(gap >= lo_);
    CHECK(gap + cuts_.chunks <= hi_ + U());
    const bool last = segment == cuts_.places.size();
    const std::uint64_t end = last ? rows_.ranges.size() : cuts_.places[segment].x;
    for (std::uint64_t row = segment == 0 ? 0 : cuts_.places[segment - 1].y; row < end; ++row) {
      const ChunkRange& range = rows_.ranges[row];
      CHECK((range.last < gap || range.first >= gap + cuts_.chunks));
    }
  }

  void require_cut(std::size_t phase) const {
    const auto& [x, y, period] = cuts_.places[phase];
    const Region& region = rows_.regions[phase];
    CHECK(y == x + cuts_.n * period.rows);
    CHECK(x >= region.begin + period.rows);
    CHECK(y <= region.end);
    const std::uint64_t before = cuts_.gaps[phase], after = cuts_.gaps[phase + 1];
    CHECK((period.chunks > 0 ? before >= after : before <= after));
    for (std::uint64_t row = x; row < y; ++row) {
      CHECK(rows_.ranges[row].first >= std::min(before, after));
      CHECK(rows_.ranges[row].last < std::max(before, after) + cuts_.chunks);
    }
    for (std::uint64_t row = x - period.rows; row < y + period.rows; ++row) {
      CHECK(rows_.ranges[row].first >= lo_ + U());
      CHECK(rows_.ranges[row].last < hi_);
    }
  }

  const RandomRows& rows_;
  const Cuts& cuts_;
  std::vector<bool> alike_;
  std::uint64_t lo_, hi_;
};

}  // namespace

TEST_CASE("cuts of random phases satisfy their conditions") {
  Random random(12);
  std::size_t found = 0, several = 0;
  for (int i = 0; i < ranges::part(400, 20000); ++i) {
    RandomRows rows;
    rows.chunks = 60 + random.below(100);
    const std::size_t phases = 1 + random.below(3);
    for (std::size_t phase = 0; phase < phases; ++phase) add_phase(rows, random);
    if (rows.regions.size() != phases) continue;
    const auto cuts = find_cuts(rows.regions, rows.ranges, rows.chunks);
    if (!cuts) continue;
    INFO("case " << i);
    REQUIRE(cuts->places.size() == phases);
    REQUIRE(cuts->gaps.size() == phases + 1);
    Conditions(rows, *cuts).require();
    ++found;
    several += phases > 1;
  }
  CHECK(found > 200);
  CHECK(several > 100);
}
