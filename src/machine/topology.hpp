#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/overheads.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

/// A network as a file describes it: ranks 0..P-1, then switches, and directed links.
struct Topology {
  struct Link {
    Rank from, to;
    std::uint64_t capacity;  ///< chunks per round; by default a step has one round. With ports:
                             ///< messages per step
  };
  /// A switch, and the rules that its file states.
  struct Switch {
    std::string name;
    std::optional<bool> multicast = {}, reduces = {};  ///< version 2
  };
  Rank ranks = 1;
  std::vector<Switch> switches;  ///< switch i is node P + i
  std::vector<Link> links;       ///< by (from, to), each once

  // Version 2.
  std::vector<LinkTime> times = {};  ///< of the links; empty: version 1, which has none
  /// Messages that a rank sends, and receives, per step, each of which takes its whole route in
  /// its step; none: the network stores and forwards.
  std::optional<std::uint32_t> ports = {};
  Overheads overheads = {};                ///< of a rank
  bool shared = false;                     ///< may links have more messages than their capacity?
  std::vector<std::uint64_t> groups = {};  ///< ranks of a group of level 0, 1, ...; all below P
  std::string name = {};                   ///< for display; may be empty
  std::vector<std::string> sources = {};   ///< of its figures

  std::uint64_t nodes() const { return ranks + switches.size(); }
  /// What a node may do with messages. By default switches copy and combine packets, which they
  /// store, but not messages in transit; ranks do neither.
  SwitchRules rules(Rank node) const {
    if (node < ranks) return {};
    const Switch& s = switches[node - ranks];
    return {s.multicast.value_or(!ports), s.reduces.value_or(!ports)};
  }
};

/// Reads a topology; its format is in docs/topology.schema.json. Reading is strict: unknown
/// fields, duplicate links, links to unknown nodes, and nodes that nothing can reach or leave are
/// errors. Throws InputError with the location in `file`.
Topology parse_topology(std::string_view text, const std::string& file);
/// The same from a file, also one in SCCL's format.
Topology read_topology(const std::string& path);

}  // namespace schedcc
