#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// A network as a file describes it: ranks 0..P-1, then switches, and directed links.
struct Topology {
  struct Link {
    Rank from, to;
    std::uint64_t capacity;  ///< chunks per round; by default a step has one round
  };
  Rank ranks = 1;
  std::vector<std::string> switches;  ///< their names; switch i is node P + i
  std::vector<Link> links;            ///< by (from, to), each once

  std::uint64_t nodes() const { return ranks + switches.size(); }
};

/// Reads a topology file; its format is in docs/topology.schema.json. Reading is strict: unknown
/// fields, duplicate links, links to unknown nodes, and nodes that nothing can reach or leave are
/// errors. Throws InputError with the place.
Topology read_topology(const std::string& path);

}  // namespace schedcc
