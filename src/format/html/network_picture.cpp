#include "format/html/network_picture.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "format/dot/node_positions.hpp"
#include "format/html/script_text.hpp"
#include "machine/rank_rows.hpp"

namespace schedcc::html {

namespace {

constexpr std::uint64_t max_nodes = 4096;

/// The position of each node, [x, y] with y downwards; a tree's ranks are at the bottom.
void write_tree(const std::vector<dot::TreePosition>& tree, Text& out) {
  out.put(", \"at\": [");
  std::string_view comma = "";
  for (const dot::TreePosition& p : tree) {
    out.print("{}[{:g},{:g}]", comma, p.column, -p.height);
    comma = ",";
  }
  out.put("]");
}

/// A JSON array that is written item by item.
class JsonArray {
 public:
  JsonArray(std::string_view name, Text& out) : out_(out) { out.print(", \"{}\": [", name); }
  void add(std::string_view item) {
    out_.print("{}{}", comma_, item);
    comma_ = ",";
  }
  void end() { out_.put("]"); }

 private:
  Text& out_;
  std::string_view comma_;
};

void write_links(const Network& network, Text& out) {
  std::vector<Rank> neighbours;
  JsonArray list("links", out);
  for (std::uint64_t v = 0; v < network.nodes(); ++v) {
    neighbours.clear();
    network.neighbours(static_cast<Rank>(v), neighbours);
    for (const Rank w : neighbours) list.add(fmt::format("[{},{}]", v, w));
  }
  list.end();
}

void write_names(const Network& network, Rank ranks, Text& out) {
  JsonArray list("routers", out);
  for (std::uint64_t v = ranks; v < network.nodes(); ++v)
    list.add(script_string(network.describe(static_cast<Rank>(v))));
  list.end();
}

/// The links of a topology with ports.
void write_listed(const ListedLinks& listed, Rank ranks, Text& out) {
  if (ranks + listed.switches.size() > max_nodes) return out.put("null");
  out.put(R"({"kind": "links")");
  JsonArray links("links", out);
  for (const auto& [from, to] : listed.links) links.add(fmt::format("[{},{}]", from, to));
  links.end();
  JsonArray names("routers", out);
  for (const std::string& name : listed.switches) names.add(script_string(name));
  names.end();
  out.put("}");
}

}  // namespace

void write_network(const Machine& machine, Rank ranks, Text& out) {
  if (const Network* network = machine.network()) {
    if (network->nodes() > max_nodes) return out.put("null");
    const auto tree = dot::tree_positions(machine, network->nodes());
    out.print(R"({{"kind": "{}")", tree.empty() ? "links" : "tree");
    if (!tree.empty()) write_tree(tree, out);
    write_links(*network, out);
    write_names(*network, ranks, out);
    return out.put("}");
  }
  if (const auto listed = listed_links(machine)) return write_listed(*listed, ranks, out);
  if (const auto rows = rank_rows(machine, ranks); rows && ranks <= max_nodes) {
    out.print(R"({{"kind": "{}", "rows": {}, "columns": {}}})",
              !rows->grid   ? "modules"
              : rows->torus ? "torus"
                            : "mesh",
              rows->rows, rows->columns);
    return;
  }
  out.put("null");
}

}  // namespace schedcc::html
