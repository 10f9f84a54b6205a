#pragma once

// Symmetries of an instance: nodes that can change places, and chunks that can.

#include <vector>

#include "prover/instance.hpp"

namespace schedcc::prover {

/// A renaming of nodes and chunks that changes nothing else.
struct Symmetry {
  std::vector<Rank> node;
  std::vector<Chunk> chunk;
};

/// Some symmetries: neighbours among chunks for the same nodes, and for each pair of nodes a < b a
/// renaming that leaves the nodes below a where they are and takes a to b, if one is found.
std::vector<Symmetry> symmetries(const Instance& instance, const std::vector<Delivery>& chunks);

}  // namespace schedcc::prover
