#include "algorithm/forest/trees.hpp"

#include <algorithm>
#include <numeric>

#include "algorithm/forest/packing.hpp"
#include "algorithm/forest/splitting.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Adds hops to a tree, each node once.
class TreeBuilder {
 public:
  TreeBuilder(ForestTree& tree, std::uint64_t nodes)
      : tree_(tree), hop_to_(nodes, ForestTree::none) {}

  /// From the last node of the way that the tree has, without going round.
  void add(std::span<const Rank> way) {
    std::size_t at = way.size() - 1;
    while (way[at] != tree_.root && hop_to_[way[at]] == ForestTree::none) --at;
    while (at + 1 < way.size()) {
      const std::uint32_t before = hop_to_[way[at]];
      const std::uint32_t depth = before == ForestTree::none ? 1 : tree_.hops[before].depth + 1;
      hop_to_[way[at + 1]] = static_cast<std::uint32_t>(tree_.hops.size());
      tree_.hops.push_back({way[at], way[at + 1], before, depth});
      at = last(way, way[at + 1]);
    }
  }

 private:
  static std::size_t last(std::span<const Rank> way, Rank node) {
    std::size_t at = way.size() - 1;
    while (way[at] != node) --at;
    return at;
  }

  ForestTree& tree_;
  std::vector<std::uint32_t> hop_to_;  ///< by node
};

}  // namespace

Forest forest(const LinkGraph& graph, std::span<const Rank> sources, bool by_links) {
  const auto ratio = bottleneck(graph, sources);
  if (!ratio) throw InternalError("a forest for ranks that cannot be reached");
  std::uint64_t g = ratio->denominator;
  for (const auto& link : graph.links) g = std::gcd(g, link.capacity);
  Forest result{*ratio, g, ratio->denominator / g, {}};
  LinkGraph scaled = graph;
  for (auto& link : scaled.links) link.capacity = link.capacity / g * ratio->numerator;
  const std::vector<SwitchedLink> links = without_switches(scaled, sources, result.k);
  std::vector<Rank> way;
  for (const PackedTree& packed : packed_trees(graph.ranks, links, sources, result.k)) {
    ForestTree& tree = result.trees.emplace_back(ForestTree{packed.root, packed.copies, {}});
    TreeBuilder builder(tree, graph.nodes);
    for (const std::uint32_t i : packed.links) {
      way.assign(1, links[i].from);
      if (by_links) way.insert(way.end(), links[i].switches.begin(), links[i].switches.end());
      way.push_back(links[i].to);
      builder.add(way);
    }
  }
  return result;
}

}  // namespace schedcc
