#pragma once

// The communication graph of a schedule: a node for each rank, at hop level for each router too,
// and an edge for each pair that ever communicates.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/selection.hpp"
#include "schedcc/source.hpp"

namespace schedcc::dot {

/// The messages from one node to another, over all steps.
struct Edge {
  Rank src, dst;
  std::uint64_t first;  ///< the first step that uses it
  bool copies, reduces;
};

/// The graph, with the properties that decide its layout.
struct Graph {
  std::uint64_t ranks, nodes;
  std::uint64_t first, end;  ///< the nodes that are drawn, first..end-1
  bool hop_level;
  std::vector<Edge> edges;  ///< by source and destination
  std::uint64_t last = 0;   ///< the highest `first` of its edges

  /// Are there so few edges that it may be a tree?
  bool sparse() const { return nodes <= 100'000 && edges.size() <= 2 * nodes; }
  /// Are there too many edges for labels?
  bool dense() const { return edges.size() > 400; }
  /// The edge from one node to another, or nullptr.
  const Edge* find(Rank src, Rank dst) const;
  /// How many nodes are drawn.
  std::uint64_t drawn() const { return end - first; }
};

/// The communication graph of a schedule, of which only the nodes of `shown` are drawn; throws
/// InputError if a node is not among its nodes.
Graph graph_of(const Source& source, const NumberInterval& shown);

/// The shape of a graph that decides how it is drawn.
struct GraphMetrics {
  bool acyclic = false;
  std::size_t depth = 0;  ///< nodes on its longest path
  std::size_t width = 0;  ///< the most nodes that are equally far from the sources
  std::size_t sources = 0, sinks = 0;
};

/// The shape of a graph.
GraphMetrics metrics_of(const Graph& graph);

}  // namespace schedcc::dot
