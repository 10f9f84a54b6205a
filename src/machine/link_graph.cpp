#include "machine/link_graph.hpp"

#include <algorithm>
#include <numeric>

#include "core/max_flow.hpp"
#include "core/saturating.hpp"

namespace schedcc {

namespace {

constexpr std::uint64_t max_capacity = std::uint64_t{1} << 40;

void sort(LinkGraph& graph) {
  std::ranges::sort(graph.links, {}, [](const auto& l) { return std::pair(l.from, l.to); });
}

/// Sorted; none if it is too large.
std::optional<LinkGraph> in_order(LinkGraph graph, std::uint64_t max_links) {
  if (graph.links.size() > max_links || graph.nodes > max_links) return std::nullopt;
  Saturating all = 0;
  for (const auto& link : graph.links) all += link.capacity;
  if (all >= max_capacity) return std::nullopt;
  sort(graph);
  return graph;
}

/// The links, and a source with arcs to the ranks that have data.
class SourceFlow {
 public:
  SourceFlow(const LinkGraph& graph, std::span<const Rank> sources, const Fraction& ratio)
      : graph_(graph), sources_(sources), flow_(graph.nodes + 1) {
    for (const auto& [from, to, capacity] : graph.links) flow_.add(from, to, 0);
    for (const Rank r : sources) flow_.add(graph.nodes, r, 0);
    set(ratio);
  }

  void set(const Fraction& ratio) {
    ratio_ = ratio;
    for (std::size_t i = 0; i < graph_.links.size(); ++i)
      flow_.set_capacity(i, graph_.links[i].capacity * ratio.numerator);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      flow_.set_capacity(graph_.links.size() + i, ratio.denominator);
    from_ = graph_.nodes;
  }

  /// The sources and the capacity of the least cut before a rank if their ratio is above that which
  /// is set; then another one has to be set. None otherwise.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> larger(Rank v) {
    const std::uint64_t needed = ratio_.denominator * sources_.size();
    const std::uint64_t flow =
        from_ == graph_.nodes ? flow_.run(from_, v, needed) : flow_.more(from_, v, needed);
    from_ = v;
    if (flow == needed) return std::nullopt;
    std::uint64_t inside = 0, capacity = 0;
    for (const Rank r : sources_) inside += flow_.before_cut(r) ? 1 : 0;
    for (const auto& link : graph_.links) {
      if (flow_.before_cut(link.from) && !flow_.before_cut(link.to)) capacity += link.capacity;
    }
    return std::pair(inside, capacity);
  }

 private:
  const LinkGraph& graph_;
  std::span<const Rank> sources_;
  MaxFlow flow_;
  Fraction ratio_{};
  std::size_t from_ = 0;  ///< where the flow ends, or the source
};

/// The largest ratio of the cuts around single ranks: of the other sources to the capacity in. None
/// if no link leads to a rank.
std::optional<Fraction> least_in(const LinkGraph& graph, std::span<const Rank> sources) {
  std::vector<std::uint64_t> in(graph.nodes);
  for (const auto& link : graph.links) in[link.to] += link.capacity;
  std::optional<Fraction> result;
  for (Rank v = 0; v < graph.ranks; ++v) {
    const auto others = static_cast<std::uint64_t>(sources.size()) -
                        static_cast<std::uint64_t>(std::ranges::count(sources, v));
    if (others == 0) continue;
    if (in[v] == 0) return std::nullopt;
    if (!result || others * result->denominator > in[v] * result->numerator)
      result = fraction(others, in[v]);
  }
  return result;
}

}  // namespace

Fraction fraction(std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

std::optional<LinkGraph> link_graph(const Network& network, Rank ranks, std::uint64_t max_links) {
  if (network.links() > max_links || network.nodes() > max_links) return std::nullopt;
  LinkGraph graph{ranks, network.nodes(), {}};
  std::vector<Rank> next;
  for (Rank u = 0; u < graph.nodes; ++u) {
    next.clear();
    network.neighbours(u, next);
    for (const Rank v : next) graph.links.push_back({u, v, network.link(u, v)->capacity});
  }
  return in_order(std::move(graph), max_links);
}

std::optional<LinkGraph> link_graph(const Channels& channels, Rank ranks, std::uint64_t max_links) {
  const auto* const links = dynamic_cast<const LinkChannels*>(&channels);
  if (links == nullptr || ranks > max_links) return std::nullopt;
  auto graph = links->graph();
  return graph ? in_order(std::move(*graph), max_links) : std::nullopt;
}

std::optional<LinkGraph> link_graph(const Machine& machine, Rank ranks, std::uint64_t max_links) {
  if (machine.routed()) return link_graph(*machine.network(), ranks, max_links);
  if (machine.channels() == nullptr) return std::nullopt;
  return link_graph(*machine.channels(), ranks, max_links);
}

LinkGraph reversed(LinkGraph graph) {
  for (auto& link : graph.links) std::swap(link.from, link.to);
  sort(graph);
  return graph;
}

Successors successors(const LinkGraph& graph) {
  Successors result(graph.nodes);
  for (const auto& link : graph.links) result[link.from].push_back(link.to);
  return result;
}

std::vector<std::uint32_t> distances(const Successors& successors, Rank from) {
  std::vector<std::uint32_t> distance(successors.size(), no_distance);
  std::vector<Rank> queue{from};
  distance[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Rank v = queue[i];
    for (const Rank next : successors[v]) {
      if (distance[next] != no_distance) continue;
      distance[next] = distance[v] + 1;
      queue.push_back(next);
    }
  }
  return distance;
}

std::optional<Fraction> bottleneck(const LinkGraph& graph, std::span<const Rank> sources) {
  auto ratio = least_in(graph, sources);
  if (!ratio) return std::nullopt;
  SourceFlow flow(graph, sources, *ratio);
  Rank v = 0;
  for (Rank enough = 0; enough < graph.ranks;) {  // this many flows in sequence are large enough
    const auto cut = flow.larger(v);
    if (!cut) {
      ++enough;
      v = (v + 1) % graph.ranks;
      continue;
    }
    if (cut->second == 0) return std::nullopt;
    ratio = fraction(cut->first, cut->second);
    flow.set(*ratio);
    enough = 0;
  }
  return ratio;
}

}  // namespace schedcc
