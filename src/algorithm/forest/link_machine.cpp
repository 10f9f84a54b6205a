#include "algorithm/forest/link_machine.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/memory.hpp"

namespace schedcc {

namespace {

/// A rank that is not reached from `from`; none if all are.
std::optional<Rank> unreached(const LinkGraph& graph, Rank from) {
  const std::vector<std::uint32_t> distance = distances(successors(graph), from);
  const auto end = distance.begin() + graph.ranks;
  const auto found = std::find(distance.begin(), end, no_distance);
  if (found == end) return std::nullopt;
  return static_cast<Rank>(found - distance.begin());
}

std::optional<std::string> unreached_refusal(const Request& r, const LinkGraph& graph) {
  const Collective c = r.problem.collective;
  const Rank from = r.problem.rooted() ? r.problem.root : 0;
  const auto cannot = [](Rank to, Rank source) {
    return fmt::format("rank {} cannot be reached from rank {}", to, source);
  };
  if (c != Collective::reduce) {
    if (const auto v = unreached(graph, from)) return cannot(*v, from);
  }
  if (c != Collective::broadcast) {
    if (const auto v = unreached(reversed(graph), from)) return cannot(from, *v);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> order_refusal(const Request& request, const Steps& reduction) {
  const Rank P = request.problem.ranks;
  const std::uint64_t chunks = request.problem.total_chunks();
  const std::uint64_t nodes = request.machine.routed() ? request.machine.network()->nodes() : P;
  require_memory(Saturating(nodes) * chunks * sizeof(Contributions),
                 "the contributions at all nodes");
  std::vector<Contributions> sums(nodes * chunks);
  for (std::uint64_t i = 0; i < P * chunks; ++i) {
    const auto rank = static_cast<Rank>(i / chunks);
    sums[i] = {rank, rank, 1};
  }
  Transfers row;
  std::vector<Contributions> sent;
  for (std::uint64_t i = 0; i < reduction.size(); ++i) {
    row.clear();
    sent.clear();
    reduction.fill(i, row);
    for (const Transfer& t : row) {
      for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
        const Contributions& sum = sums[t.src * chunks + c];
        sent.push_back(sum);
        if (sum.is_interval()) continue;
        return fmt::format(
            "node {} would send {} contributions between ranks {} and {} that are not an interval "
            "of ranks",
            t.src, sum.count, sum.low, sum.high);
      }
    }
    auto next = sent.begin();
    for (const Transfer& t : row) {
      for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c, ++next) {
        sums[t.dst * chunks + c].add(*next);
      }
    }
  }
  return std::nullopt;
}

bool goes_backwards(Collective collective) {
  return collective == Collective::reduce || collective == Collective::reduce_scatter;
}

std::vector<bool> directions(Collective collective) {
  if (collective == Collective::allreduce) return {false, true};
  return {goes_backwards(collective)};
}

LinkGraph graph_of(const Request& request, bool backwards) {
  LinkGraph graph = *link_graph(request.machine, request.problem.ranks, max_graph_links);
  return backwards ? reversed(std::move(graph)) : graph;
}

std::optional<std::string> graph_refusal(const Request& request) {
  const Rank P = request.problem.ranks;
  const Machine& machine = request.machine;
  const auto* const channels = dynamic_cast<const LinkChannels*>(machine.channels());
  const bool too_many = P > max_graph_ranks;
  if (!machine.routed() && (channels == nullptr || (!too_many && !channels->graph())))
    return fmt::format("it needs a machine that is a network of links, not {}", machine.spec());
  if (too_many) {
    return fmt::format("it computes its schedule from the links for at most {} ranks, not {}",
                       max_graph_ranks, P);
  }
  const auto graph = link_graph(machine, P, max_graph_links);
  if (!graph) {
    return fmt::format(
        "it needs a network of at most {} links and nodes, with a capacity below 2^40 in all, not "
        "{}",
        max_graph_links, machine.spec());
  }
  if (P == 1) return std::nullopt;
  return unreached_refusal(request, *graph);
}

std::string ports_refusal(Rank rank, std::uint64_t ranks, std::uint64_t ports) {
  return fmt::format("rank {} would exchange messages with {} in a step; it has {}", rank,
                     counted(ranks, "rank"), counted(ports, "port"));
}

std::optional<std::string> messages_refusal(const Machine& machine, const RankPairs& messages) {
  std::map<Rank, std::pair<std::uint64_t, std::uint64_t>> counts;  // sent, received
  std::map<std::uint64_t, std::uint64_t> load;
  std::vector<Channels::Run> runs;
  for (const auto& [from, to] : messages) {
    ++counts[from].first;
    ++counts[to].second;
    runs.clear();
    machine.channels()->route(from, to, runs);
    for (const auto& run : runs) {
      for (std::uint64_t c = run.first; c < run.first + run.count; ++c) ++load[c];
    }
  }
  const PortLimits& ports = *machine.ports();
  for (const auto& [rank, messages_of_rank] : counts) {
    const auto [sent, received] = messages_of_rank;
    if (sent <= ports.send && received <= ports.receive) continue;
    return ports_refusal(rank, std::max(sent, received), ports.send);
  }
  if (machine.channels()->shared()) return std::nullopt;
  for (const auto& [channel, count] : load) {
    if (count <= machine.channels()->capacity(channel)) continue;
    return fmt::format("{} would carry {} in a step; its capacity is {}",
                       machine.channels()->describe(channel), counted(count, "message"),
                       machine.channels()->capacity(channel));
  }
  return std::nullopt;
}

}  // namespace schedcc
