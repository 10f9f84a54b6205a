#pragma once

// The measurements of a calibration, over MPI. All processes call them together.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "cost/calibration.hpp"

namespace schedcc {

/// The nodes of the processes: those that can share memory, or, if stated, that many ranks each.
/// Throws mpi::UsageError if nodes differ in their numbers of ranks, or have no consecutive ranks.
NodeShape find_nodes(std::uint32_t ranks_per_node);

/// Of a measurement: its median and confidence interval need as many.
inline constexpr std::uint64_t fewest_repetitions = 5;

/// The samples of each level that the machine has. Throws mpi::UsageError if MPI_Wtime does not
/// advance. Each measurement takes a second at most, except for the fewest repetitions.
/// Precondition: repetitions >= fewest_repetitions.
std::vector<LevelSamples> measure(const NodeShape& shape, std::uint64_t repetitions);

}  // namespace schedcc
