#pragma once

// The sizes of chunks for which a plan is executed, such that every size is like one of them.
//
// A cell is a part of a chunk that every operation uses as a whole, or not at all. Threadblocks
// that share an operation divide each of its ranges; a pipeline cuts chunks into slices.

#include <cstdint>
#include <string>
#include <vector>

#include "schedcc/plan.hpp"

namespace schedcc::program {

/// A size of the chunks.
struct PlanGrid {
  std::uint32_t cells = 1;  ///< of a chunk
  /// The cells of a slice of the shortest unit, and that unit in bytes; 0: there are no pipelines.
  std::uint32_t slice = 0;
  std::uint32_t unit = 0;
};

struct PlanGrids {
  std::vector<PlanGrid> grids;
  std::string undecided;  ///< why they do not stand for all sizes; empty: they do
};

PlanGrids grids(const Plan& plan);

/// Where part `part` of `parts` of a range of that many cells begins.
std::uint64_t part_begin(std::uint64_t cells, std::uint32_t part, std::uint32_t parts);

}  // namespace schedcc::program
