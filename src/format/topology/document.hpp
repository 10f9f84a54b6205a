#pragma once

// A topology as its file states it, with the locations of what may be inconsistent.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json_schema.hpp"
#include "machine/topology.hpp"

namespace schedcc::topology_file {

/// An end of a link, before the nodes are known; or the ranks of a group.
struct NodeReference {
  std::uint64_t node = 0;
  Position location{};
};
/// What a link, or a kind of links, states of itself.
struct LinkParameters {
  std::optional<std::uint64_t> capacity;
  std::optional<double> latency, gap;
};
using Kinds = std::map<std::string, LinkParameters, std::less<>>;
struct WrittenLink {
  Position location{};
  NodeReference from{}, to{};
  LinkParameters own{};
  std::uint32_t kind = UINT32_MAX;  ///< its number among the kinds that links name; or none
  bool both = false;
};
/// A kind that links name, and where the first of them does.
struct NamedKind {
  std::string name;
  Position location{};
  LinkParameters parameters{};
};

struct Document {
  /// Its name, sources, ranks, ports and switches; links, times and groups follow.
  Topology topology;
  std::uint64_t version = 1;
  std::string_view later;  ///< the first field that version 1 does not have
  Position later_location;
  std::optional<Position> for_ports;      ///< of a field that needs 'ports'
  std::optional<Position> for_overheads;  ///< of 'overheads'
  Kinds kinds;
  std::vector<NamedKind> named;
  std::vector<NodeReference> groups;
  std::vector<WrittenLink> links;
  Position switches_location, links_location;
};

/// The topology. Throws InputError, with its location in `file`, for what is inconsistent. Memory:
/// proportional to the links and switches.
Topology complete(Document document, const std::string& file);

}  // namespace schedcc::topology_file
