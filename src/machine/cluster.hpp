#pragma once

// Clusters: nodes of ranks, in groups of nodes, in groups of those.

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/crossbar.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// A cluster. Groups of level 0 are the nodes; the one group of the last level has all ranks.
struct Cluster {
  /// What a group of each level consists of.
  struct Level {
    std::uint64_t members;   ///< ranks of a node, nodes of a group of level 1, ...
    std::uint64_t ranks;     ///< ranks of a group
    std::uint64_t capacity;  ///< messages per step in each direction, see cluster.cpp
    bool blocking = false;   ///< is that less than what the members can send?
  };
  std::vector<Level> levels;  ///< at least two
  std::uint32_t ports = 1;    ///< of a rank
  std::uint64_t nics = 1;     ///< of a node
  bool rails = false;
  bool shared = false;  ///< messages beyond a capacity share it

  std::uint64_t node(Rank rank) const { return rank / levels[0].ranks; }
  /// The NIC that a rank uses; 0 if all NICs of a node serve all of its ranks.
  std::uint64_t nic(Rank rank) const { return rails ? rank % levels[0].ranks % nics : 0; }
  /// Do messages of level 1 that change the NIC need the spine, and all others not?
  bool avoids_spine(std::uint32_t level) const { return rails && level == 1; }
};

/// The crossbar that the machine is: a crossbar, or a cluster whose only limits are the NICs that
/// all ranks of a node share; none for other machines.
std::optional<Crossbar> crossbar_of(const Machine& machine);

}  // namespace schedcc
