// Topologies in JSON: how many ranks, the names of the switches, and the links.
//
//     {"topology": 1, "ranks": 2, "switches": ["hub"],
//      "links": [{"from": 0, "to": 2, "capacity": 1}, ...]}
//
// Nodes 0..P-1 are the ranks, P, P + 1, ... the switches in their order.

#include "frontend/import/topology.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "frontend/import/located_json.hpp"
#include "frontend/import/sccl.hpp"
#include "frontend/import/text.hpp"

namespace schedcc {

namespace {

/// A link and the place at which it is written.
struct Written {
  Topology::Link link;
  const LocatedJson* json;
};

std::vector<std::string> read_switches(const LocatedJson& json) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const LocatedJson& item : json.items_of("'switches'")) {
    const std::string& name = item.text_of("the name of a switch");
    if (name.empty()) item.fail("a switch has no name");
    if (!seen.insert(name).second) item.fail(fmt::format("two switches are named '{}'", name));
    names.push_back(name);
  }
  return names;
}

Rank read_end(const LocatedJson& json, std::string_view what, std::uint64_t nodes) {
  const std::uint64_t node = json.number_in(what, 0, UINT64_MAX);
  if (node >= nodes) {
    json.fail(fmt::format("node {} does not exist; nodes are 0..{}", node, nodes - 1));
  }
  return static_cast<Rank>(node);
}

Written read_link(const LocatedJson& json, std::uint64_t nodes) {
  const auto fields = json.fields("a link", {"from", "to", "capacity"});
  const Topology::Link link{read_end(*fields[0], "'from'", nodes),
                            read_end(*fields[1], "'to'", nodes),
                            fields[2]->number_in("'capacity'", 1, UINT32_MAX)};
  if (link.from == link.to) json.fail(fmt::format("node {} is linked to itself", link.from));
  return {link, &json};
}

/// By (from, to); throws if a link is there twice.
std::vector<Topology::Link> sorted(std::vector<Written> written) {
  std::ranges::stable_sort(written, {},
                           [](const Written& w) { return std::pair(w.link.from, w.link.to); });
  std::vector<Topology::Link> links;
  for (const auto& [link, json] : written) {
    if (!links.empty() && links.back().from == link.from && links.back().to == link.to) {
      json->fail(fmt::format("the link from {} to {} is there twice", link.from, link.to));
    }
    links.push_back(link);
  }
  return links;
}

/// Every rank has a link, unless it is alone; every switch can be passed.
void reject_dangling(const Topology& topology, const LocatedJson& links) {
  std::vector<bool> entered(topology.nodes()), left(topology.nodes());
  for (const Topology::Link& link : topology.links) left[link.from] = entered[link.to] = true;
  for (std::uint64_t v = 0; v < topology.nodes(); ++v) {
    if (v < topology.ranks) {
      if (topology.nodes() > 1 && !entered[v] && !left[v]) {
        links.fail(fmt::format("rank {} has no link", v));
      }
    } else if (!entered[v] || !left[v]) {
      links.fail(fmt::format("switch {} ('{}') has no link {} it", v,
                             topology.switches[v - topology.ranks],
                             entered[v] ? "out of" : "into"));
    }
  }
}

}  // namespace

Topology read_topology(const std::string& path) {
  const InputText text = InputText::open(path);
  if (is_sccl(text.view())) return read_sccl_topology(text, path);
  const LocatedJson json = parse_json(text.view(), path);
  const auto fields =
      json.fields("a topology", {"topology", "ranks", "links"}, {"name", "switches"});
  if (fields[0]->number_in("'topology'", 0, UINT64_MAX) != 1) {
    fields[0]->fail("this version of the format is not known; there is 1");
  }
  if (fields[3] != nullptr) fields[3]->text_of("'name'");

  Topology topology;
  topology.ranks = static_cast<Rank>(fields[1]->number_in("'ranks'", 1, UINT32_MAX - 1));
  if (fields[4] != nullptr) topology.switches = read_switches(*fields[4]);
  if (topology.nodes() > UINT32_MAX - 1) fields[4]->fail("there are too many nodes");
  std::vector<Written> links;
  for (const LocatedJson& link : fields[2]->items_of("'links'")) {
    links.push_back(read_link(link, topology.nodes()));
  }
  if (topology.ranks > links.size() + links.size() + 1) {  // before anything is made for each rank
    fields[2]->fail(
        fmt::format("{} links are too few to reach {} ranks", links.size(), topology.ranks));
  }
  topology.links = sorted(std::move(links));
  reject_dangling(topology, *fields[2]);
  return topology;
}

}  // namespace schedcc
