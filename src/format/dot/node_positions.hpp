#pragma once

// The positions of the nodes of a communication graph, and its edges, where Graphviz has no good
// layout: ranks on a circle, or a tree.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/dot/graph.hpp"
#include "format/dot/layout.hpp"
#include "schedcc/machine.hpp"

namespace schedcc::dot {

/// The position of a node of a tree: above the middle of the ranks below it; rank i has column i
/// and height 0.
struct TreePosition {
  double column, height;
};

/// By node; empty if the machine's network is not a tree with levels, or has another number of
/// nodes.
std::vector<TreePosition> tree_positions(const Machine& machine, std::uint64_t nodes);

/// The positions of a graph's nodes: of a tree; in rows of `columns` nodes; or, if both are
/// empty, on a circle. The graph and its `tree`, by node, must outlive it.
class NodePositions {
 public:
  static constexpr double radius = 11;  ///< of a node

  NodePositions(const Graph& graph, std::span<const TreePosition> tree, std::uint64_t columns)
      : graph_(graph), tree_(tree), columns_(columns), hub_(find_hub()) {}

  /// The position of a node.
  Point place(std::uint64_t v) const;
  /// The edge as an arrow. Edges of opposite directions are drawn to the right of each other.
  Arrow curve(const Edge& e, bool keep_right) const;

 private:
  std::optional<Rank> find_hub() const;
  Point circle_place(std::uint64_t v) const;
  Point grid_place(std::uint64_t v) const;
  Arrow grid_curve(const Edge& e, Point side, double head) const;
  Outline outline(std::uint64_t v) const { return {radius, radius, v >= graph_.ranks}; }

  const Graph& graph_;
  std::span<const TreePosition> tree_;
  std::uint64_t columns_;    ///< of a grid; 0: it is none
  std::optional<Rank> hub_;  ///< is in the centre
};

}  // namespace schedcc::dot
