#pragma once

// Where pictures place the ranks of machines that have a shape: grids, and groups of ranks.

#include <cstdint>
#include <optional>

#include "schedcc/machine.hpp"

namespace schedcc {

/// Ranks in rows of `columns`. Neighbours in a grid have links, those of modules are only in
/// groups.
struct RankRows {
  std::uint64_t rows, columns;
  bool grid;
  bool torus;
};

/// The rows of a mesh or torus, of the modules of a crossbar, of the nodes of a cluster; none for
/// other machines.
std::optional<RankRows> rank_rows(const Machine& machine, std::uint64_t ranks);

}  // namespace schedcc
