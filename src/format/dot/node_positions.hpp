#pragma once

// Where the nodes of a communication graph stand when Graphviz cannot find it out, and how the
// edges run between them: ranks on a circle, or a fat tree.

#include <cstdint>
#include <optional>

#include "format/dot/graph.hpp"
#include "format/dot/layout.hpp"

namespace schedcc::dot {

/// The places of a graph's nodes. The graph must outlive it.
class NodePositions {
 public:
  static constexpr double radius = 11;  ///< of a node

  explicit NodePositions(const Graph& graph) : graph_(graph), hub_(find_hub()) {}

  /// Where a node stands.
  Point place(std::uint64_t v) const;
  /// The edge as an arrow. Two directions keep to the right of each other.
  Arrow curve(const Edge& e, bool keep_right) const;

 private:
  std::optional<Rank> find_hub() const;
  Point circle_place(std::uint64_t v) const;
  Point fat_tree_place(std::uint64_t v) const;
  Outline outline(std::uint64_t v) const { return {radius, radius, v >= graph_.ranks}; }

  const Graph& graph_;
  std::optional<Rank> hub_;  ///< stands in the centre
};

}  // namespace schedcc::dot
