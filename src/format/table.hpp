#pragma once

// A schedule by rank: operations in compressed row storage. In a step a rank first sends, since it
// sends what it held before the step, and then receives. On LogP, where steps are cycles, a receive
// starts o + L cycles after its send, and the operations of a rank are sorted by the cycle in which
// they start.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/mpi/operation.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cpp {

using mpi::Operation;

/// The properties of the whole schedule, from its header.
struct Totals {
  std::uint64_t steps = 0, transfers = 0, operations = 0;
};

/// The operations of all ranks, one rank after another.
struct Table {
  Totals totals;
  std::vector<std::uint64_t>
      index;  ///< of the first operation of each rank up to the highest with any; then the end
  std::vector<Operation> operations;

  std::span<const Operation> of(Rank rank) const {
    if (rank + std::size_t{1} >= index.size()) return {};
    return std::span(operations).subspan(index[rank], index[rank + 1] - index[rank]);
  }
};

/// A rank's operations, message by message.
std::vector<std::span<const Operation>> messages_of(std::span<const Operation> operations);

/// The table of a schedule. Reads the source several times; throws InputError if it has a rank
/// that the problem does not have, or changes meanwhile.
Table by_rank(const Source& source, const Machine& machine);
/// The operations of one rank only; `index` is left empty.
Table by_rank(const Source& source, const Machine& machine, Rank rank);

}  // namespace schedcc::cpp
