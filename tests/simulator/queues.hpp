#pragma once

// Buffers: how many chunks wait at a rank, and in a router for a link.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

using Place = std::pair<Rank, Chunk>;  // node, chunk

/// When each chunk came to a node, and when it went on from there, in order of time.
struct Visits {
  std::map<Place, std::vector<std::pair<std::uint64_t, Rank>>> sent;  // time, destination
  std::map<Place, std::vector<std::uint64_t>> received;
};

/// The longest queues: of all, and on fat trees by level.
void queues(Visits visits, const Problem& problem, const Model& model, Outcome& out);

}  // namespace naive
