#pragma once

// Maximum flows in directed graphs with whole capacities: Dinic's algorithm, shortest augmenting
// paths, all of one length at once.
//
// Source: Dinic, "Algorithm for Solution of a Problem of Maximum Flow in Networks with Power
// Estimation" (1970).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcc {

/// A graph whose capacities may change between flows. All that leave a node are below 2^63
/// together.
class MaxFlow {
 public:
  explicit MaxFlow(std::size_t nodes) : first_(nodes, none) {}

  /// Adds a node, and returns its number.
  std::size_t add_node();
  /// Adds an arc, and returns its number: 0, 1, ...
  std::size_t add(std::size_t from, std::size_t to, std::uint64_t capacity);
  /// Removes the arc added last.
  void remove_last();
  std::uint64_t capacity(std::size_t arc) const { return capacity_[arc]; }
  void set_capacity(std::size_t arc, std::uint64_t capacity) { capacity_[arc] = capacity; }

  /// The most that flows from `source` to `sink`, or `limit` if that is less.
  std::uint64_t run(std::size_t source, std::size_t sink, std::uint64_t limit);
  /// Adds to the last flow as much from `source` to `sink` as there is still room for, at most
  /// `limit`, and returns how much.
  ///
  /// So if `limit` flowed from s to v, and more(v, w, limit) is called, what flows from s to w is
  /// the most that can, or `limit`: a cut between s and w that is narrower has v before it, since
  /// all of the first flow passes every cut between s and v.
  std::uint64_t more(std::size_t source, std::size_t sink, std::uint64_t limit);
  /// What an arc carries in the last flow.
  std::uint64_t flow(std::size_t arc) const { return halves_[2 * arc + 1].residual; }
  /// After a flow below its limit: is the node on the source's side of the least cut nearest to the
  /// source?
  bool before_cut(std::size_t node) const { return distance_[node] != none; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// One direction of an arc; half 2a is arc a, half 2a + 1 the way back.
  struct HalfArc {
    std::uint32_t to, next;  ///< the next half that leaves the same node
    std::uint64_t residual;
  };

  bool reach(std::size_t source, std::size_t sink);
  std::uint64_t augment(std::size_t source, std::size_t sink, std::uint64_t limit);

  std::vector<std::uint32_t> first_;  ///< by node: a half that leaves it
  std::vector<HalfArc> halves_;
  std::vector<std::uint64_t> capacity_;  ///< by arc
  std::vector<std::uint32_t> distance_, at_, queue_, path_;
};

}  // namespace schedcc
