#include "algorithm/forest/bfb_fractions.hpp"

#include <algorithm>
#include <numeric>

#include "core/max_flow.hpp"
#include "core/recent_cache.hpp"
#include "core/saturating.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

/// What rank u gets in a phase: shards, each over some of the links into it. Nodes of the flow are
/// the shards, the links, the source and the sink; arcs those of the source to the shards, those of
/// the links to the sink, and the rest.
struct BreadthFirst::Arrivals {
  std::vector<Rank> sources;
  std::vector<std::size_t> links;  ///< their numbers
  std::vector<std::uint64_t> capacity;
  struct ShardLink {
    std::size_t shard, link;
  };
  std::vector<ShardLink> shard_links;
  MaxFlow flow{0};

  void make_flow() {
    const std::size_t S = sources.size(), L = links.size();
    flow = MaxFlow(S + L + 2);
    for (std::size_t i = 0; i < S; ++i) flow.add(S + L, i, 0);
    for (std::size_t i = 0; i < L; ++i) flow.add(S + i, S + L + 1, 0);
    for (const ShardLink& way : shard_links) flow.add(way.shard, S + way.link, wide);
  }

  /// Can each shard have K chunks, if each link carries `load` for a unit of its capacity?
  bool fits(std::uint64_t K, std::uint64_t load) {
    const std::size_t S = sources.size(), L = links.size();
    for (std::size_t i = 0; i < S; ++i) flow.set_capacity(i, K);
    const std::uint64_t all = K * S;
    for (std::size_t i = 0; i < L; ++i)
      flow.set_capacity(S + i, std::min(all, (Saturating(load) * capacity[i]).value()));
    return flow.run(S + L, S + L + 1, all) == all;
  }

  /// U(u, t).
  Fraction load() {
    Fraction ratio = fraction(sources.size(),
                              std::accumulate(capacity.begin(), capacity.end(), std::uint64_t{0}));
    while (!fits(ratio.denominator, ratio.numerator)) {
      std::uint64_t shards = 0, room = 0;
      for (std::size_t i = 0; i < sources.size(); ++i) shards += flow.before_cut(i) ? 1 : 0;
      for (std::size_t i = 0; i < links.size(); ++i)
        room += flow.before_cut(sources.size() + i) ? capacity[i] : 0;
      ratio = fraction(shards, room);
    }
    return ratio;
  }

  static constexpr std::uint64_t wide = std::uint64_t{1} << 60;
};

BreadthFirst::BreadthFirst(const LinkGraph& graph) : graph_(graph), links_into_(graph.ranks) {
  const Successors next = successors(graph);
  for (Rank s = 0; s < graph.ranks; ++s) distance_.push_back(distances(next, s));
  for (std::size_t i = 0; i < graph.links.size(); ++i) links_into_[graph.links[i].to].push_back(i);
  std::uint32_t diameter = 0;
  for (const auto& row : distance_) diameter = std::max(diameter, std::ranges::max(row));
  for (std::size_t t = 0; t < diameter; ++t) {
    Fraction most{0, 1};
    for (Rank u = 0; u < graph.ranks; ++u) {
      Arrivals got = arrivals(u, t);
      if (got.sources.empty()) continue;
      const Fraction own = got.load();
      if (own.numerator * most.denominator > most.numerator * own.denominator) most = own;
    }
    loads_.push_back(most);
  }
}

BreadthFirst::Arrivals BreadthFirst::arrivals(Rank u, std::size_t phase) const {
  Arrivals result;
  result.links = links_into_[u];
  for (const std::size_t link : result.links)
    result.capacity.push_back(graph_.links[link].capacity);
  for (Rank s = 0; s < graph_.ranks; ++s) {
    if (distance_[s][u] != phase + 1) continue;
    for (std::size_t i = 0; i < result.links.size(); ++i) {
      if (distance_[s][graph_.links[result.links[i]].from] == phase)
        result.shard_links.push_back({result.sources.size(), i});
    }
    result.sources.push_back(s);
  }
  result.make_flow();
  return result;
}

std::uint64_t BreadthFirst::chunk_unit() const {
  std::uint64_t result = 1;
  for (const Fraction& load : loads_) {
    result = least_common_multiple(result, load.denominator).value();
    if (result > UINT32_MAX) return 0;
  }
  return result;
}

std::vector<ShardPart> BreadthFirst::parts(std::size_t phase, std::uint64_t K) const {
  const auto [numerator, denominator] = loads_[phase];
  std::vector<ShardPart> result;
  for (Rank u = 0; u < graph_.ranks; ++u) {
    Arrivals got = arrivals(u, phase);
    if (!got.fits(K, K / denominator * numerator))
      throw InternalError("shards do not fit their links");
    std::vector<std::uint64_t> sent(got.sources.size());  // chunks of each shard
    for (std::size_t w = 0; w < got.shard_links.size(); ++w) {
      const auto [shard, link] = got.shard_links[w];
      const std::uint64_t count = got.flow.flow(got.sources.size() + got.links.size() + w);
      if (count == 0) continue;
      result.push_back({got.links[link], got.sources[shard], sent[shard], count});
      sent[shard] += count;
    }
  }
  std::ranges::stable_sort(result, {}, &ShardPart::link);
  return result;
}

std::shared_ptr<const BreadthFirst> breadth_first(const LinkGraph& graph) {
  constexpr std::size_t kept = 8;
  static RecentCache<LinkGraph, BreadthFirst> searches(kept);
  return searches.get(graph, [&] { return BreadthFirst(graph); });
}

}  // namespace schedcc
