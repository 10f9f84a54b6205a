#pragma once

// Which rows of a schedule repeat earlier ones, and which chunks are in which rows.
//
// A few rows show where to look: at some places of the schedule the rows that follow are searched
// for one that repeats the row there. Places with the same period are taken for parts of one
// stretch of rows; between two places with different ones the first row of the later stretch is
// found by bisection. Then all rows are compared, each with that a period later in its stretch. So
// a wrong guess costs time, and leads to no wrong result.
//
// A row is read by the thread that compares it. Large rows are read in parts, where they can be
// divided: part p of every q-th row, so that what is compared is still in the cache of a processor,
// and every row is made once.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "check/crew.hpp"
#include "core/partition.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Row i + `rows` is row i with `chunks` added to each chunk, `steps` steps later.
struct Period {
  std::uint64_t rows = 0, steps = 0;
  std::int64_t chunks = 0;
  /// |chunks|.
  std::uint64_t size() const { return static_cast<std::uint64_t>(chunks < 0 ? -chunks : chunks); }
  friend bool operator==(const Period&, const Period&) = default;
};

/// Rows begin..end-1, and a period.
struct Region {
  std::uint64_t begin = 0, end = 0;
  Period period;
};

/// Does a row consist of the transfers of another one, with `shift` added to each chunk?
bool is_shifted(std::span<const Transfer> row, std::span<const Transfer> other,
                std::uint32_t shift);

/// Stretches that cover all rows, each with the period by which its rows are likely to be repeated,
/// of at most `most` rows. Empty if no row is seen to be repeated.
std::vector<Region> likely_regions(const Steps& steps, std::uint64_t most);

/// The parts in which rows are read, so that some of them fit into the caches of a processor.
class RowDivision {
 public:
  /// `transfers`: of a row.
  RowDivision(const Steps& steps, std::uint64_t transfers);

  std::uint64_t count() const { return count_; }
  RowParts part(std::uint64_t number) const {
    const auto [begin, end] = part_of(of_, number, count_);
    return {begin, end, of_};
  }

 private:
  std::uint64_t count_;  ///< of parts
  std::uint64_t of_;     ///< those of the steps, of which each has some
};

/// Compares all rows with those a period later. Each thread follows every q-th row, so that it has
/// two rows, or parts of two, in memory.
class Repetition {
 public:
  /// The chunks first..last of a row; first > last: it is empty.
  struct Range {
    std::uint64_t first = UINT64_MAX, last = 0;
    bool empty() const { return first > last; }
  };

  /// `stretches` cover all rows. The problem outlives it.
  Repetition(const Steps& steps, std::vector<Region> stretches, const Problem& problem);
  /// Throws Abandoned if a step takes several rounds, or if a transfer is malformed.
  void run(const Crew& crew, const std::function<void(std::uint64_t)>& progress);

  /// Regions of at least `least` rows, each of which is repeated a period later, before the next
  /// region begins.
  std::vector<Region> regions(std::uint64_t least) const;
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Are there no two stretches?
  bool has_one_period() const { return stretches_.size() == 1; }
  const Period& period() const { return stretches_.front().period; }
  /// Is the row a period later the repetition of this one but for chunks that only one of them can
  /// have: here those that would be beyond the last a period later, there those that would be below
  /// 0 a period earlier? With a period below 0 likewise.
  bool continued(std::uint64_t row) const { return parts_[row].continued; }
  const RowDivision& division() const { return division_; }

 private:
  struct Row {
    Step step;
    Transfers buffer;
  };
  using TwoRows = std::pair<Row, Row>;
  /// What is known of a part of a row: at the end, of all of it.
  struct Part {
    bool repeated = false, continued = false;
  };
  /// A part of every q-th row of begin..end-1, of a stretch.
  struct Strand {
    std::uint64_t begin, end, part;
    const Region* stretch;
  };

  void cut_strands(const Region& stretch);
  void follow(const Strand& strand, TwoRows& buffers,
              const std::function<void(std::uint64_t)>& progress);
  void read(std::uint64_t row, std::uint64_t part, Row& to) const;
  Part compare(const Step& row, const Step& later, const Period& period) const;
  bool continues(std::span<const Transfer> row, std::span<const Transfer> later,
                 std::int64_t shift) const;
  /// Does none of the chunks exist when `shift` is added to them?
  bool outside(const Transfer& transfer, std::int64_t shift) const;
  void unite(std::span<const Part> parts, std::span<const Range> ranges);
  void unite_parts();
  void unite_processes(const Crew& crew);

  const Steps& steps_;
  const std::vector<Region> stretches_;
  const Problem& problem_;
  const RowDivision division_;
  std::vector<Strand> strands_;
  /// Part p of row i is at p * rows + i, and so is its range. Of those of other processes nothing
  /// is known that the others must agree with.
  std::vector<Part> parts_;
  std::vector<Range> ranges_;
  std::atomic<std::uint64_t> read_ = 0;
};

}  // namespace schedcc
