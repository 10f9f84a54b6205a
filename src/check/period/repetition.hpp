#pragma once

// Which rows of a schedule repeat earlier ones, and which chunks are in which rows.
//
// A few rows show where to look: at some places of the schedule the rows that follow are searched
// for one that repeats the row there. Places with the same period are taken for parts of one
// stretch of rows; between two places with different ones the first row of the later stretch is
// found by bisection. Then all rows are compared, each with that a period later in its stretch. So
// a wrong guess costs time, and leads to no wrong result.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Row i + `rows` is row i with `chunks` added to each chunk, `steps` steps later.
struct Period {
  std::uint64_t rows = 0, steps = 0;
  std::int64_t chunks = 0;
  friend bool operator==(const Period&, const Period&) = default;
};

/// Rows begin..end-1, and a period.
struct Region {
  std::uint64_t begin = 0, end = 0;
  Period period;
};

/// Stretches that cover all rows, each with the period by which its rows are likely to be repeated,
/// of at most `most` rows. Empty if no row is seen to be repeated.
std::vector<Region> likely_regions(const Steps& steps, std::uint64_t most);

/// Compares all rows with those a period later, by several threads. Each follows every q-th row, so
/// that it has two rows in memory.
class Repetition {
 public:
  /// The chunks first..last of a row; first > last: it is empty.
  struct Range {
    std::uint64_t first = UINT64_MAX, last = 0;
    bool empty() const { return first > last; }
  };

  /// `stretches` cover all rows.
  Repetition(const Steps& steps, std::vector<Region> stretches);
  /// Throws Abandoned if a step takes several rounds.
  void run(std::size_t threads, const std::function<void(std::uint64_t)>& progress);

  /// Regions of at least `least` rows, each of which is repeated a period later, before the next
  /// region begins.
  std::vector<Region> regions(std::uint64_t least) const;
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  struct Row {
    Step step;
    Transfers buffer;
  };
  /// Every q-th row of begin..end-1, of a stretch.
  struct Strand {
    std::uint64_t begin, end;
    const Region* stretch;
  };

  void follow(const Strand& strand, const std::function<void(std::uint64_t)>& progress);
  void read(std::uint64_t row, Row& to);

  static constexpr std::uint64_t parts = 8;  ///< of a stretch: no thread has to wait long

  const Steps& steps_;
  const std::vector<Region> stretches_;
  std::vector<Strand> strands_;
  std::vector<std::uint8_t> repeated_;
  std::vector<Range> ranges_;
  std::atomic<std::uint64_t> next_ = 0, read_ = 0;
};

}  // namespace schedcc
