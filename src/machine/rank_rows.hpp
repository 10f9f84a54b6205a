#pragma once

// How pictures lay out the ranks of a machine.

#include <cstdint>
#include <optional>

#include "schedcc/machine.hpp"

namespace schedcc {

/// Ranks in rows of `columns`, rank r in row r / columns.
struct RankRows {
  std::uint64_t rows, columns;
  bool grid;   ///< neighbours in a row or column have links; else rows are groups of ranks
  bool torus;  ///< a grid whose rows and columns are rings
};

/// The rows of a machine for `ranks` ranks: those that its entry states, else its groups of level 0
/// (nodes), if there are several; none for other machines.
std::optional<RankRows> rank_rows(const Machine& machine, std::uint64_t ranks);

}  // namespace schedcc
