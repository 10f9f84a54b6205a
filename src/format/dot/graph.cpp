#include "format/dot/graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "format/dot/writer.hpp"

namespace schedcc::dot {

namespace {

bool same_pair(const Edge& a, const Edge& b) { return a.src == b.src && a.dst == b.dst; }
bool pair_before(const Edge& a, const Edge& b) {
  return std::pair(a.src, a.dst) < std::pair(b.src, b.dst);
}

/// Joins the uses of each pair. They come in the order of time.
void join_uses(std::vector<Edge>& uses) {
  std::ranges::stable_sort(uses, pair_before);
  std::size_t kept = 0;
  for (const Edge& use : uses) {
    if (kept > 0 && same_pair(uses[kept - 1], use)) {
      uses[kept - 1].copies |= use.copies;
      uses[kept - 1].reduces |= use.reduces;
    } else {
      uses[kept++] = use;
    }
  }
  uses.resize(kept);
}

/// The edges by source and destination, in memory proportional to their number.
std::vector<Edge> edges_of(const Source& source) {
  std::vector<Edge> edges;
  std::size_t limit = 1024;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      if (edges.size() == limit) {
        join_uses(edges);
        limit = std::max<std::size_t>(limit, 2 * edges.size());
      }
      edges.push_back({t.src, t.dst, step.number, t.reduce == 0, t.reduce != 0});
    }
  }
  join_uses(edges);
  return edges;
}

}  // namespace

const Edge* Graph::find(Rank src, Rank dst) const {
  const Edge key{src, dst, 0, false, false};
  const auto at = std::ranges::lower_bound(edges, key, pair_before);
  return at != edges.end() && same_pair(*at, key) ? &*at : nullptr;
}

Graph graph_of(const Source& source, const NumberInterval& shown) {
  Graph graph{source.problem.ranks, source.node_count(),  shown.first,
              shown.last + 1,       source.has_routers(), edges_of(source)};
  for (const Edge& e : graph.edges) {
    check_nodes(e.src, e.dst, graph.nodes);
    graph.last = std::max(graph.last, e.first);
  }
  return graph;
}

// By removing nodes without incoming edges.
GraphMetrics metrics_of(const Graph& graph) {
  const std::vector<Edge>& edges = graph.edges;
  const std::size_t nodes = graph.nodes;
  std::vector<std::size_t> in(nodes), out(nodes), level(nodes), ready;
  for (const Edge& e : edges) ++in[e.dst], ++out[e.src];
  GraphMetrics metrics;
  for (std::size_t v = 0; v < nodes; ++v) {
    if (in[v] == 0) ready.push_back(v);
    metrics.sources += in[v] == 0 && out[v] > 0;
    metrics.sinks += out[v] == 0 && in[v] > 0;
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto from = std::ranges::lower_bound(edges, ready[i], {}, &Edge::src);
    for (auto e = from; e != edges.end() && e->src == ready[i]; ++e) {
      level[e->dst] = std::max(level[e->dst], level[e->src] + 1);
      if (--in[e->dst] == 0) ready.push_back(e->dst);
    }
  }
  metrics.acyclic = ready.size() == nodes;
  std::map<std::size_t, std::size_t> widths;
  for (std::size_t v = graph.first; v < graph.end; ++v) ++widths[level[v]];
  metrics.depth = widths.size();
  for (const auto& [l, width] : widths) metrics.width = std::max(metrics.width, width);
  return metrics;
}

}  // namespace schedcc::dot
