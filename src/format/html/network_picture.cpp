#include "format/html/network_picture.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/dot/node_positions.hpp"
#include "format/html/script_text.hpp"
#include "machine/rank_rows.hpp"

namespace schedcc::html {

namespace {

constexpr std::uint64_t max_nodes = 4096;

/// Positions from the left and from the top; a tree's ranks are below.
void write_tree(const std::vector<dot::TreePosition>& tree, Text& out) {
  out.put(", \"at\": [");
  std::string_view comma = "";
  for (const dot::TreePosition& p : tree) {
    out.print("{}[{:g},{:g}]", comma, p.column, -p.height);
    comma = ",";
  }
  out.put("]");
}

void write_links(const Network& network, Text& out) {
  std::vector<Rank> neighbours;
  std::string_view comma = "";
  out.put(", \"links\": [");
  for (std::uint64_t v = 0; v < network.nodes(); ++v) {
    neighbours.clear();
    network.neighbours(static_cast<Rank>(v), neighbours);
    for (const Rank w : neighbours) {
      out.print("{}[{},{}]", comma, v, w);
      comma = ",";
    }
  }
  out.put("]");
}

void write_names(const Network& network, Rank ranks, Text& out) {
  std::string_view comma = "";
  out.put(", \"routers\": [");
  for (std::uint64_t v = ranks; v < network.nodes(); ++v) {
    out.print("{}{}", comma, script_string(network.describe(static_cast<Rank>(v))));
    comma = ",";
  }
  out.put("]");
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
