#pragma once

// Lower bounds on volume, in bytes, and what those on time, in seconds, are made of.

#include <cstdint>
#include <optional>

#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// A lower bound on the volume, in bytes, of any schedule on a machine with these ports: the sum
/// over its steps of the largest message of each. `bytes` are those of the message, or of a block.
double least_volume(const Problem& problem, const Machine& machine, std::uint64_t bytes);

/// Must each rank receive the whole message from one, or send it to one? In a scan by rank 0's
/// contribution. Blocks do not count.
bool whole_message(const Problem& problem);

/// A message takes at least this alpha and beta, beta also in that k messages of a rank with k
/// ports take a k-th of it, together with all that the rank sends, for each of their bytes. The
/// model's, or those of the machine's links.
LinkTime least_link(const CostModel& model, const Machine& machine);

/// The time of Karp's tree for one packet and at least two ranks, in whole picoseconds, rounded
/// down; none if it cannot be computed, or if the model lets a rank send to all at once.
std::optional<double> karp_seconds(std::uint64_t ranks, const CostModel& model);

}  // namespace schedcc
