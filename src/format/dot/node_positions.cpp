#include "format/dot/node_positions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace schedcc::dot {

std::vector<TreePosition> tree_positions(const Machine& machine, std::uint64_t nodes) {
  const Network* network = machine.network();
  if (network == nullptr || network->nodes() != nodes || network->levels().empty()) return {};
  std::vector<Rank> by_level(nodes), neighbours;
  std::iota(by_level.begin(), by_level.end(), 0);
  std::ranges::stable_sort(by_level, {}, [&](Rank v) { return network->level(v); });
  std::vector<TreePosition> positions(nodes);
  std::vector<double> ranks(nodes);  // below each
  for (const Rank v : by_level) {
    if (network->level(v) == 0) {
      positions[v] = {static_cast<double>(v), 0};
      ranks[v] = 1;
      continue;
    }
    neighbours.clear();
    network->neighbours(v, neighbours);
    double columns = 0, height = 0;
    for (const Rank child : neighbours) {
      if (network->level(child) > network->level(v)) continue;
      columns += ranks[child] * positions[child].column;
      height = positions[child].height;
      ranks[v] += ranks[child];
    }
    positions[v] = {columns / ranks[v], height + 62 + 2.5 * ranks[v]};  // higher, with longer edges
  }
  return positions;
}

/// A rank that communicates with more than half of the others is placed in the centre.
std::optional<Rank> NodePositions::find_hub() const {
  const std::uint64_t ranks = graph_.ranks;
  if (graph_.hop_level || columns_ != 0 || graph_.drawn() != graph_.nodes || ranks < 6 ||
      !graph_.sparse())
    return std::nullopt;
  std::vector<std::size_t> degree(ranks);
  for (const Edge& e : graph_.edges) ++degree[e.src], ++degree[e.dst];
  const auto most = std::ranges::max_element(degree);
  const bool star = *most > ranks / 2 && graph_.edges.size() < ranks + ranks / 2;
  return star ? std::optional(static_cast<Rank>(most - degree.begin())) : std::nullopt;
}

Point NodePositions::place(std::uint64_t v) const {
  if (!tree_.empty()) return {32 * tree_[v].column, tree_[v].height};
  if (columns_ != 0) return grid_place(v);
  return hub_ && v == *hub_ ? Point{0, 0} : circle_place(v);
}

/// The more edges a node has, the more room it gets.
Point NodePositions::circle_place(std::uint64_t v) const {
  const auto on_circle = static_cast<double>(graph_.drawn() - (hub_ ? 1 : 0));
  const double per_node = static_cast<double>(graph_.edges.size()) / on_circle;
  const double distance = graph_.dense() ? 38 : 38 + std::clamp(6 * per_node - 6, 0.0, 24.0);
  const double around =
      std::max(100 + 12 * std::min(per_node, 8.0), on_circle * distance / (2 * std::numbers::pi));
  const auto index = static_cast<double>((hub_ && v > *hub_ ? v - 1 : v) - graph_.first);
  const double angle = 2 * std::numbers::pi * index / on_circle;
  return {around * std::sin(angle), around * std::cos(angle)};
}

Point NodePositions::grid_place(std::uint64_t v) const {
  constexpr double distance = 56;
  const std::uint64_t row = v / columns_, column = v % columns_;
  return {distance * static_cast<double>(column), -distance * static_cast<double>(row)};
}

/// In a grid, an edge past other nodes bends around them.
Arrow NodePositions::grid_curve(const Edge& e, Point side, double head) const {
  const Point from = place(e.src), to = place(e.dst);
  const auto apart = [](std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; };
  const bool past = std::gcd(apart(e.src % columns_, e.dst % columns_),
                             apart(e.src / columns_, e.dst / columns_)) > 1;
  const Point bend = past ? (10 + 0.06 * length(to - from)) * right_of(unit(to - from)) : side;
  return {from, outline(e.src), to, outline(e.dst), bend, bend, head};
}

/// On the circle, an edge across others bends towards the centre, in proportion to its length.
Arrow NodePositions::curve(const Edge& e, bool keep_right) const {
  const Outline a = outline(e.src), b = outline(e.dst);
  const Point from = place(e.src), to = place(e.dst);
  const double head = graph_.dense() ? 0 : 6, far = length(to - from);
  const Point side = (keep_right ? std::min(0.12 * far, 9.0) : 0) * right_of(unit(to - from));
  if (columns_ != 0) return grid_curve(e, side, head);
  if (graph_.hop_level || graph_.dense() || hub_) return {from, a, to, b, side, side, head};
  const std::uint64_t d = e.src < e.dst ? e.dst - e.src : e.src - e.dst;
  const auto steps = static_cast<double>(std::min(d, graph_.drawn() - d));
  const double inward = std::min(28 * std::log2(steps), 0.4 * length(from));
  return {from, a, to, b, side - inward * unit(from), side - inward * unit(to), head};
}

}  // namespace schedcc::dot
