// Forest: spanning trees from every rank, or from the root, that together use the links of any
// network as much as its narrowest cut allows.
//
// An allgather takes at least K / x* steps for K chunks of each rank, 1/x* = p/q being the largest
// ratio, over sets of nodes that miss a rank, of the ranks in the set to the capacity of the links
// out of it. There are q/g trees of each rank that leave room for that bandwidth
// (trees.hpp); as a pipeline of chunks (schedule.hpp) they take
//     at most p (ceil(K/q) + h - 1) steps
// on networks, whose links carry a capacity of chunks per step; h is the height of the trees. Where
// messages take whole routes, M + h - 1 steps with M = ceil(K/q): a link then carries up to p
// chunks in a step for each unit of its capacity. So multiples of q suit it best.
//
// A broadcast is the same for the trees of one root, Edmonds' theorem: 1/x* is one over the least
// flow from the root to another rank. Reduce-scatter and reduce go backwards along the trees of the
// reversed links, and an allreduce is a reduce-scatter and an allgather. That allreduce is not
// always the best one: ranks that are linked badly get blocks as large as the others.
//
// Sources: Zhao et al., "ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
// Network Fabrics" (arXiv 2402.06787); Zhao, Krishnamurthy (arXiv 2305.18461); Edmonds,
// "Edge-disjoint Branchings" (1973).

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/forest/link_machine.hpp"
#include "algorithm/forest/schedule.hpp"
#include "algorithm/shapes.hpp"
#include "core/saturating.hpp"
#include "machine/cluster.hpp"

namespace schedcc::forest_algorithm {

namespace {

/// Hops of all lanes of one period that a plan holds at most.
constexpr std::uint64_t max_hops = std::uint64_t{1} << 23;

std::vector<Rank> sources(const Problem& problem) {
  if (problem.rooted()) return {problem.root};
  std::vector<Rank> all(problem.ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

std::shared_ptr<const ForestPlan> plan(const Request& r, bool backwards) {
  return forest_plan(graph_of(r, backwards), sources(r.problem), r.machine.routed());
}

ForestSchedule::Blocks blocks(const Problem& problem) {
  if (problem.rooted()) return [all = Run{0, problem.chunks}](Rank) { return all; };
  std::vector<Run> runs;
  runs.reserve(problem.ranks);
  for (Rank source = 0; source < problem.ranks; ++source) runs.push_back(block_of(problem, source));
  return [runs = std::make_shared<const std::vector<Run>>(std::move(runs))](Rank source) {
    return (*runs)[source];
  };
}

/// A node whose capacities in and out differ, where links have to be moved from switches.
std::optional<std::string> balance_refusal(const Request& r, const LinkGraph& graph) {
  if (graph.nodes == graph.ranks) return std::nullopt;
  std::vector<std::uint64_t> in(graph.nodes), out(graph.nodes);
  for (const auto& [from, to, capacity] : graph.links) {
    out[from] += capacity;
    in[to] += capacity;
  }
  for (Rank v = 0; v < graph.nodes; ++v) {
    if (in[v] == out[v]) continue;
    const bool routed = r.machine.routed();
    return fmt::format(
        "on a network with switches it needs the same capacity into and out of each node (an "
        "Eulerian graph); {} has {} in and {} out",
        routed ? r.machine.network()->describe(v) : fmt::format("node {}", v), in[v], out[v]);
  }
  return std::nullopt;
}

/// Without switches: why no trees can be packed with few messages of a rank in a step, before any
/// are. Every rank gets q lanes of each other source, over links that have room for p b of them.
std::optional<std::string> arrivals_refusal(const Request& r, const LinkGraph& graph,
                                            std::uint64_t sources, const Fraction& ratio) {
  if (graph.nodes > graph.ranks) return std::nullopt;
  std::vector<std::uint64_t> widest(graph.ranks);
  for (const auto& [from, to, capacity] : graph.links) widest[to] = std::max(widest[to], capacity);
  for (Rank v = 0; v < graph.ranks; ++v) {
    const std::uint64_t others = r.problem.rooted() && v != r.problem.root ? sources : sources - 1;
    if (others == 0) continue;  // a root, which may have no link into it
    const std::uint64_t links = ceil_div(others * ratio.denominator, ratio.numerator * widest[v]);
    if (links <= ports_of(r)) continue;
    return ports_refusal(v, links, ports_of(r));
  }
  return std::nullopt;
}

/// On machines with ports: whether a step can have a message on each link of the trees.
std::optional<std::string> step_refusal(const Request& r, bool backwards) {
  RankPairs messages;
  const auto made = plan(r, backwards);
  for (const ForestTree& tree : made->forest.trees) {
    for (const auto& hop : tree.hops)
      messages.insert(backwards ? std::pair(hop.to, hop.from) : std::pair(hop.from, hop.to));
  }
  return messages_refusal(r.machine, messages);
}

std::optional<std::string> reason(const Request& r) {
  if (auto why = graph_refusal(r)) return why;
  if (r.problem.ranks == 1) return std::nullopt;
  for (const bool backwards : directions(r.problem.collective)) {
    const LinkGraph graph = graph_of(r, backwards);
    if (auto why = balance_refusal(r, graph)) return why;
    const std::vector<Rank> from = sources(r.problem);
    const Fraction ratio = *bottleneck(graph, from);
    if (ratio.denominator > max_hops / graph.nodes / from.size()) {
      return fmt::format("it would need {} trees from each root, which are too many",
                         ratio.denominator);
    }
    if (r.machine.routed()) continue;
    if (auto why = arrivals_refusal(r, graph, from.size(), ratio)) return why;
    if (auto why = step_refusal(r, backwards)) return why;
  }
  return std::nullopt;
}

/// The allgather, or the broadcast.
Steps forwards(const Request& r, bool backwards) {
  const auto made = plan(r, backwards);
  return ForestSchedule::rows({made, &made->schedule}, blocks(r.problem));
}

Steps build(const Request& r) {
  return on_links(r.problem, [&](bool backwards) { return forwards(r, backwards); });
}

/// q, for a block or a message.
std::uint64_t chunk_unit(const Request& r) {
  if (graph_refusal(r)) return 1;
  Saturating result = 1;
  const bool both = r.problem.collective == Collective::allreduce;
  for (const bool backwards : directions(r.problem.collective)) {
    const auto ratio = bottleneck(graph_of(r, backwards), sources(r.problem));
    result = least_common_multiple(result.value(), ratio->denominator);
  }
  return (both ? result * r.problem.ranks : result).value();
}

/// On networks some steps may be idle, so that the time is at most that of the steps.
CostClaim claim(const Request& r) {
  const bool routed = r.machine.routed(), both = r.problem.collective == Collective::allreduce;
  const ForestSchedule::Blocks chunks = blocks(r.problem);
  CostClaim result{.steps = 0, .exact = !routed, .idle = routed};
  for (const bool backwards : directions(r.problem.collective)) {
    const auto made = plan(r, backwards);
    result.steps += made->schedule.steps(chunks);
    if (!routed) result.volume += made->schedule.volume(chunks);
  }
  if (routed) {
    result.steps_formula = both ? "2 p (M + h - 1)" : "p (M + h - 1)";
  } else {
    result.steps_formula = both ? "2 (M + h - 1)" : "M + h - 1";
    result.volume_formula = "the largest messages";
  }
  return result;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "forest",
    .summary =
        "packed spanning trees on any network of links, at the bandwidth of its narrowest cut",
    .source = "ForestColl, arXiv 2402.06787",
    .collectives = {Collective::allgather, Collective::reduce_scatter, Collective::allreduce,
                    Collective::broadcast, Collective::reduce},
    .machines = {"fattree", "topology", "torus", "mesh", "cluster"},
    // On clusters the checks decide.
    .fits = [](const Request& r) { return !r.machine.shape<Cluster>() && !reason(r); },
    .reason = reason,
    .order = [](const Request& r) { return order_refusal(r, reverse_reducing(forwards(r, true))); },
    .whole_only = "its trees are packed for all links of the network together",
    .build = build,
    .claim = claim,
    .chunk_unit = chunk_unit,
    .hops = true,
};

}  // namespace schedcc::forest_algorithm
