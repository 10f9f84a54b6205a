#pragma once

// How pictures lay out the ranks of a machine, and the links that they draw.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Links over which messages take their whole route in a step, and the nodes after the ranks.
struct ListedLinks {
  std::vector<std::pair<Rank, Rank>> links;
  std::vector<std::string> switches;
};

/// Those of a machine whose entry states them: a file lists them. None of other machines, and of
/// networks (Machine::network).
std::optional<ListedLinks> listed_links(const Machine& machine);

}  // namespace schedcc
