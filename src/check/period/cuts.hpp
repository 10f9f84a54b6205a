#pragma once

// Where periods can be cut out of a schedule: period.hpp has the theory, and its names.
//
// The first and the last row of each chunk in each phase tell which neighbouring periods of chunks
// are alike, and these which rows of a region may be cut out. As many periods as there are in the
// smallest region are tried, then fewer: where chunks rise in two phases that follow one another,
// those that have passed the first cut have to be above those that have come to the second one, so
// that the first cut is as late as it can be, and the second one as early.

#include <cstdint>
#include <optional>
#include <vector>

#include "check/period/repetition.hpp"

namespace schedcc {

/// n periods are cut out of each region.
struct Cuts {
  /// Of one region: the rows x..y-1.
  struct Place {
    std::uint64_t x, y;
    Period period;
  };
  /// The first and the last row of a chunk in a phase; none: first > last.
  struct Life {
    std::uint32_t first = UINT32_MAX, last = 0;
    bool empty() const { return first > last; }
  };

  std::uint64_t n = 0, chunks = 0;       ///< S chunks in all,
  std::uint64_t chunks_of_period = 0;    ///< U of each period
  std::vector<Place> places;             ///< m of them
  std::vector<std::uint64_t> gaps;       ///< m + 1 of them, T_0..T_m
  std::vector<std::vector<Life>> lives;  ///< by phase and chunk

  /// How many rows are cut out.
  std::uint64_t rows() const;
};

/// The most periods that can be cut out of these regions. None if there is no place for any, or
/// chunks are in more rows than it is worth to look through.
std::optional<Cuts> find_cuts(const std::vector<Region>& regions,
                              const std::vector<Repetition::Range>& ranges, std::uint64_t chunks);

}  // namespace schedcc
