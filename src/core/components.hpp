#pragma once

// The strongly connected components of a graph. R. Tarjan, Depth-first search and linear graph
// algorithms, 1972 (doi 10.1137/0201010).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace schedcc {

/// Tarjan's search, without recursion, since paths are long.
template <typename After>
class ComponentSearch {
 public:
  ComponentSearch(std::uint32_t nodes, const After& after)
      : after_(after), number_(nodes, unseen), low_(nodes), component_(nodes, unseen) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t node = 0; node < number_.size(); ++node) {
      if (number_[node] == unseen) search(node);
    }
    return std::move(component_);
  }

 private:
  static constexpr std::uint32_t unseen = UINT32_MAX;

  /// A node on the way from the root, and how many of its edges have been followed.
  struct Entered {
    std::uint32_t node;
    std::size_t edges = 0;
  };

  void enter(std::uint32_t node) {
    number_[node] = low_[node] = next_number_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void search(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      const std::uint32_t node = path_.back().node;
      const auto& after = after_(node);
      if (path_.back().edges == after.size()) {
        leave(node);
        continue;
      }
      const std::uint32_t next = after[path_.back().edges++];
      if (number_[next] == unseen) {
        enter(next);
      } else if (component_[next] == unseen) {
        low_[node] = std::min(low_[node], number_[next]);
      }
    }
  }

  void leave(std::uint32_t node) {
    path_.pop_back();
    if (!path_.empty()) {
      std::uint32_t& above = low_[path_.back().node];
      above = std::min(above, low_[node]);
    }
    if (low_[node] != number_[node]) return;
    for (std::uint32_t last = unseen; last != node;) {
      last = open_.back();
      open_.pop_back();
      component_[last] = next_component_;
    }
    ++next_component_;
  }

  const After& after_;
  std::vector<std::uint32_t> number_, low_, component_;
  std::vector<std::uint32_t> open_;  ///< found, and in no component yet
  std::vector<Entered> path_;
  std::uint32_t next_number_ = 0, next_component_ = 0;
};

/// The component of each node, numbered from 0 so that edges lead from higher to lower ones;
/// `after(v)` are the nodes that node v has edges to, as a vector or span.
template <typename After>
std::vector<std::uint32_t> components(std::uint32_t nodes, const After& after) {
  return ComponentSearch<After>(nodes, after).run();
}

}  // namespace schedcc
