#include "simulator/networks.hpp"

namespace naive {

namespace {

struct Position {
  std::uint64_t level, index;
};

Position position(Rank node, Rank ranks) {
  Position at{0, node};
  for (std::uint64_t row = ranks; at.index >= row; row /= 2, ++at.level) at.index -= row;
  return at;
}

Rank number(Position at, Rank ranks) {
  std::uint64_t first = 0, row = ranks;
  for (std::uint64_t level = 0; level < at.level; ++level, row /= 2) first += row;
  return static_cast<Rank>(first + at.index);
}

}  // namespace

std::uint64_t level(Rank node, Rank ranks) { return position(node, ranks).level; }

Rank parent(Rank node, Rank ranks) {
  const Position at = position(node, ranks);
  return number({at.level + 1, at.index / 2}, ranks);
}

bool is_root(Rank node, Rank ranks) { return node == 2 * ranks - 2; }

std::optional<std::uint64_t> capacity(const Model& model, Rank from, Rank to, Rank ranks) {
  if (model.graph) {
    const auto link = model.graph->links.find({from, to});
    if (link == model.graph->links.end()) return {};
    return link->second;
  }
  if (!is_root(from, ranks) && parent(from, ranks) == to) {
    return model.capacity->at(level(from, ranks));
  }
  if (!is_root(to, ranks) && parent(to, ranks) == from) {
    return model.capacity->at(level(to, ranks));
  }
  return {};
}

void measure(Model::Graph& graph) {
  for (Rank v = 0; v < graph.nodes; ++v) graph.far[{v, v}] = 0;
  for (std::uint64_t links = 0; links < graph.nodes; ++links) {
    const auto before = graph.far;
    for (const auto& [ends, length] : before) {
      if (length != links) continue;
      for (Rank v = 0; v < graph.nodes; ++v) {
        if (graph.links.count({ends.second, v}) != 0)
          graph.far.insert({{ends.first, v}, links + 1});
      }
    }
  }
}

namespace {

/// In a fat tree: up from both ends until they meet.
std::vector<Rank> route(Rank src, Rank dst, Rank ranks) {
  std::vector<Rank> up{src}, down{dst};
  while (up.back() != down.back()) {
    up.push_back(parent(up.back(), ranks));
    down.push_back(parent(down.back(), ranks));
  }
  down.pop_back();
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

/// The places from `from` to `to` on a line or ring of `length` places, both included.
std::vector<std::uint64_t> walk(std::uint64_t from, std::uint64_t to, std::uint64_t length,
                                bool ring) {
  const std::uint64_t up = (to + length - from) % length, down = (from + length - to) % length;
  const bool upward = ring ? up <= down : to > from;
  std::vector<std::uint64_t> places{from};
  while (places.back() != to) {
    places.push_back((places.back() + (upward ? 1 : length - 1)) % length);
  }
  return places;
}

}  // namespace

std::vector<Rank> way(const Model::Graph& graph, Rank src, Rank dst) {
  std::vector<Rank> path{src};
  if (graph.far.count({src, dst}) == 0) return {src, dst};
  while (path.back() != dst) {
    const Rank here = path.back();
    for (Rank v = 0; path.back() == here; ++v) {
      const auto rest = graph.far.find({v, dst});
      if (graph.links.count({here, v}) == 0 || rest == graph.far.end()) continue;
      if (rest->second + 1 == graph.far.at({here, dst})) path.push_back(v);
    }
  }
  return path;
}

std::vector<Message> edges(const Model::Grid& grid, Rank src, Rank dst) {
  std::vector<Rank> visited;
  for (const auto column : walk(src % grid.columns, dst % grid.columns, grid.columns, grid.torus)) {
    visited.push_back(static_cast<Rank>(src / grid.columns * grid.columns + column));
  }
  visited.pop_back();
  for (const auto row : walk(src / grid.columns, dst / grid.columns, grid.rows, grid.torus)) {
    visited.push_back(static_cast<Rank>(row * grid.columns + dst % grid.columns));
  }
  std::vector<Message> result;
  for (std::size_t i = 1; i < visited.size(); ++i) {
    result.emplace_back(visited[i - 1], visited[i]);
  }
  return result;
}

std::uint64_t links_between(const Model& model, Rank src, Rank dst, Rank ranks) {
  return (model.graph ? way(*model.graph, src, dst) : route(src, dst, ranks)).size() - 1;
}

std::vector<Sent> lower(const std::vector<Sent>& sent, const Model& model, Rank ranks) {
  std::map<std::uint64_t, std::vector<Transfer>> steps;
  for (const auto& [step, t] : sent) {
    const std::vector<Rank> path =
        model.graph ? way(*model.graph, t.src, t.dst) : route(t.src, t.dst, ranks);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      Transfer hop = t;
      hop.src = path[i];
      hop.dst = path[i + 1];
      hop.reduce = t.reduce == 1 && i + 2 == path.size();
      steps[step + i].push_back(hop);
    }
  }
  std::vector<Sent> hops;
  for (const auto& [step, transfers] : steps) {
    for (const Transfer& t : transfers) hops.push_back({step, t});
  }
  return hops;
}

}  // namespace naive
