#pragma once

// How the ranks of a machine share the labels of exchanges.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/rank_rows.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The ranks of a machine in parts of neighbours of one size, and those that play two roles
/// (exchange_windows.cpp).
struct ExchangeParts {
  std::size_t parts = 0;
  std::vector<std::size_t> part;  ///< of each rank
  std::vector<bool> twice;        ///< by rank: does it play two roles?

  /// The roles of each part.
  std::vector<std::uint64_t> roles() const;
};

/// Squares of four ranks of a grid, and two to four neighbours with four roles together if one of
/// its sides is odd; the rows of other machines. 2^q - `ranks` ranks but the root play two roles,
/// so that few labels must leave a part. None if there are no such parts.
std::optional<ExchangeParts> exchange_parts(const RankRows& rows, Rank root);

}  // namespace schedcc::prover
