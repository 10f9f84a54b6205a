#pragma once

// The least times that satisfy lower bounds on their differences.

#include <cstdint>
#include <vector>

namespace schedcc::program {

/// Nodes 0, 1, ... get the least times at which every rule holds. Rules may form cycles: the nodes
/// of a cycle get the same time, and rules that contradict this are dropped: first the loose ones
/// of the cycle, then the delays of the strict ones.
class Timetable {
 public:
  using Node = std::uint32_t;
  enum class Rule : std::uint8_t { loose, strict };

  explicit Timetable(Node nodes) : nodes_(nodes) {}

  /// Adds a node.
  Node add() { return nodes_++; }
  /// `later` is at least `delay` (0 or 1) after `earlier`.
  void after(Node later, Node earlier, std::uint32_t delay, Rule rule) {
    edges_.push_back({earlier, later, delay, rule});
  }
  /// The time of every node. Linear in nodes and rules.
  std::vector<std::uint64_t> solve();

 private:
  struct Edge {
    Node from, to;
    std::uint32_t delay;
    Rule rule;
  };
  /// The edges by the node that they leave: edge order_[i] for i from first_[v] to first_[v + 1].
  void index();
  /// The cycle of each node: numbered so that edges lead from higher to lower ones.
  std::vector<std::uint32_t> cycles() const;

  Node nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> order_, first_;
  std::vector<Node> later_;  ///< to which edge order_[i] leads
};

}  // namespace schedcc::program
