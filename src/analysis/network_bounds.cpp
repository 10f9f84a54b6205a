// Lower bounds from the network.
//
// Total exchange. Every rank of one side of a cut sends K chunks to every rank of the other, and
// each of them crosses the cut in a message. The machine's channels state the narrow cuts.
//
// Cuts. Of an allgather, and of a broadcast, every chunk leaves each set of nodes that misses a
// rank and has a rank that starts with it; of a reduce-scatter and a reduce something enters for it
// (machine/link_graph.hpp). Of an allreduce both, so that K chunks cross each cut in either
// direction: of any cut, since all ranks start with something. The blocks of a reduce-scatter and
// an allgather do not bound an allreduce, which need not cut its vector into equal parts.
//
// Links of ranks. Each chunk of an allreduce passes links of ranks 2 (P - 1) times or more: when
// the first rank is complete, each other one has sent over a link of its own, and after that each
// receives once more over a link of its own. (In a step several ranks may become complete; one
// after another they would only receive more.) Switches that copy or combine change nothing, since
// no two ranks send over one link, or receive over one.
//
// Links. If n chunks must leave rank u for ranks that are D links away or further, and u's
// links carry C chunks a step, then the last of them first leaves u in step ceil(n/C) - 1 or later,
// and needs D steps from there. Likewise for the chunks that must reach a rank, with time reversed.
// A chunk that several ranks need leaves once, and contributions from several ranks may arrive as
// one chunk.

#include "analysis/network_bounds.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/saturating.hpp"

namespace schedcc {

namespace {

/// Which rank needs data of which, and whether all need the same chunk.
struct DataDependence {
  bool (*depends)(const Problem&, Rank u, Rank v);  ///< must v receive data that u starts with?
  bool all_to_one_share;                            ///< what a rank receives may be combined
  bool one_to_all_share;                            ///< what leaves a rank is the same for all
};

bool from_root(const Problem& p, Rank u, Rank) { return u == p.root; }
bool to_root(const Problem& p, Rank, Rank v) { return v == p.root; }
bool any_pair(const Problem&, Rank, Rank) { return true; }
bool from_before(const Problem&, Rank u, Rank v) { return u < v; }

DataDependence dependence(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
      return {from_root, false, true};
    case Collective::scatter:
      return {from_root, false, false};
    case Collective::reduce:
      return {to_root, true, false};
    case Collective::gather:
      return {to_root, false, false};
    case Collective::allgather:
    case Collective::barrier:
      return {any_pair, false, true};
    case Collective::reduce_scatter:
      return {any_pair, true, false};
    case Collective::allreduce:
      return {any_pair, true, true};
    case Collective::alltoall:
      return {any_pair, false, false};
    default:  // scans
      return {from_before, true, true};
  }
}

/// By cuts and distances: the larger of the two.
void raise(std::optional<CutBound>& bound, const std::optional<Fraction>& time,
           std::string_view source) {
  const bool more = time && (!bound || time->numerator * bound->time.denominator >
                                           bound->time.numerator * time->denominator);
  if (more) bound = CutBound{*time, source};
}

/// 2 (P - 1) transfers over all links of ranks.
std::optional<Fraction> transfers_of_ranks(const LinkGraph& graph) {
  std::uint64_t capacity = 0;
  for (const auto& link : graph.links) {
    if (link.from < graph.ranks || link.to < graph.ranks) capacity += link.capacity;
  }
  if (capacity == 0) return std::nullopt;
  return fraction(2 * (graph.ranks - std::uint64_t{1}), capacity);
}

/// Larger graphs take seconds.
constexpr std::uint64_t max_ranks_times_links = std::uint64_t{1} << 18;

/// K chunks for each of the ranks at these distances, or the same K for all of them.
std::uint64_t steps_at(std::vector<std::uint32_t>& far, bool shared, std::uint64_t K,
                       std::uint64_t C) {
  std::ranges::sort(far, std::greater<>());
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < far.size(); ++i) {
    const std::uint64_t chunks = shared ? K : K * (i + 1);
    steps = std::max(steps, ceil_div(chunks, C) - 1 + far[i]);
  }
  return steps;
}

}  // namespace

std::optional<CutBound> cut_bound(const Problem& problem, const LinkGraph& graph) {
  constexpr std::string_view cut = "the narrowest cut: arXiv 2402.06787";
  if (graph.ranks < 2 || graph.ranks * graph.links.size() > max_ranks_times_links)
    return std::nullopt;
  const std::vector<Rank> root{problem.rooted() ? problem.root : 0};
  std::vector<Rank> all(graph.ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  std::optional<CutBound> bound;
  switch (problem.collective) {
    case Collective::broadcast:
      raise(bound, bottleneck(graph, root), cut);
      break;
    case Collective::reduce:
      raise(bound, bottleneck(reversed(graph), root), cut);
      break;
    case Collective::allgather:
    case Collective::barrier:
      raise(bound, bottleneck(graph, all), cut);
      break;
    case Collective::reduce_scatter:
      raise(bound, bottleneck(reversed(graph), all), cut);
      break;
    case Collective::allreduce:
      raise(bound, bottleneck(graph, root), cut);
      raise(bound, bottleneck(reversed(graph), root), cut);
      raise(bound, transfers_of_ranks(graph), "2 (P - 1) transfers of each chunk, over all links");
      break;
    default:  // none is known
      break;
  }
  return bound;
}

LowerBound raised_by_cuts(LowerBound ports, const Problem& problem, const Channels& channels,
                          std::uint64_t width, std::uint64_t ports_of_rank) {
  // With one port the busiest rank is never below a cut that a message can cross.
  const bool cuts = ports_of_rank > 1 && !channels.shared() && !problem.tokens();
  const auto graph =
      cuts ? link_graph(channels, problem.ranks, max_ranks_times_links) : std::nullopt;
  if (graph) {
    if (const auto cut = cut_bound(problem, *graph)) {
      const Saturating volume =
          ceil_div(Saturating(problem.chunks) * cut->time.numerator, cut->time.denominator);
      if (volume > *ports.volume) {
        ports = {std::max(*ports.steps, ceil_div(volume.value(), width)), volume.value(),
                 std::string(cut->source)};
      }
    }
  }
  if (problem.collective != Collective::alltoall) return ports;
  for (const auto& [inside, outside, messages, bound] : channels.cuts()) {
    const std::uint64_t volume = ceil_div(problem.chunks * inside * outside, messages);
    if (volume <= *ports.volume) continue;
    ports = {std::max(*ports.steps, ceil_div(volume, width)), volume, std::string(bound)};
  }
  return ports;
}

namespace {

/// The links of a network by the nodes at their ends.
struct NodeLinks {
  NodeLinks(const Network& network, std::uint64_t rounds)
      : neighbours(network.nodes()), out(network.nodes()), in(network.nodes()) {
    for (Rank u = 0; u < network.nodes(); ++u) {
      network.neighbours(u, neighbours[u]);
      for (const Rank v : neighbours[u]) {
        const Saturating carried = Saturating(network.link(u, v)->capacity) * rounds;
        out[u] += carried;
        in[v] += carried;
      }
    }
  }

  Successors neighbours;
  std::vector<Saturating> out, in;  ///< chunks a step
};

/// The steps that data need to go as far as they must, as many at a time as the links of one rank
/// carry. None if a rank cannot be reached from another.
std::optional<std::uint64_t> steps_by_distance(const Problem& problem, const NodeLinks& links) {
  const std::uint64_t P = problem.ranks;
  const DataDependence need = dependence(problem.collective);
  std::vector<std::vector<std::uint32_t>> sources(P);  // by receiver: their distances
  std::uint64_t steps = 0;
  for (Rank u = 0; u < P; ++u) {
    const std::vector<std::uint32_t> distance = distances(links.neighbours, u);
    std::vector<std::uint32_t> far;
    for (Rank v = 0; v < P; ++v) {
      if (u == v || !need.depends(problem, u, v)) continue;
      if (distance[v] == no_distance) return std::nullopt;
      far.push_back(distance[v]);
      sources[v].push_back(distance[v]);
    }
    if (far.empty()) continue;
    steps =
        std::max(steps, steps_at(far, need.one_to_all_share, problem.chunks, links.out[u].value()));
  }
  for (Rank v = 0; v < P; ++v) {
    if (sources[v].empty()) continue;
    steps = std::max(
        steps, steps_at(sources[v], need.all_to_one_share, problem.chunks, links.in[v].value()));
  }
  return steps;
}

}  // namespace

LowerBound network_bound(const Problem& problem, const Network& network, std::uint64_t rounds) {
  const std::uint64_t P = problem.ranks;
  if (P * (network.nodes() + network.links()) > 50'000'000) {
    return {std::nullopt, std::nullopt, "too many ranks to compute it"};
  }
  if (!network.has_rounds()) rounds = 1;
  const auto steps = steps_by_distance(problem, NodeLinks(network, rounds));
  if (!steps) return {std::nullopt, std::nullopt, "a rank cannot be reached from another"};
  const auto graph = link_graph(network, static_cast<Rank>(P), max_ranks_times_links);
  if (const auto cut = graph ? cut_bound(problem, *graph) : std::nullopt) {
    const Saturating by_cut = ceil_div(Saturating(problem.chunks) * cut->time.numerator,
                                       Saturating(cut->time.denominator) * rounds);
    if (by_cut > *steps) return {by_cut.value(), std::nullopt, std::string(cut->source)};
  }
  return {steps, std::nullopt, "distances, and the links of the busiest rank"};
}

}  // namespace schedcc
