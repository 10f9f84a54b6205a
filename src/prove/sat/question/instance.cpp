#include "prove/sat/question/instance.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "prove/sat/question/channels.hpp"
#include "prove/sat/question/question_limits.hpp"

namespace schedcc::prover {

namespace {

/// Distances from `source`, in steps.
std::vector<std::optional<std::uint64_t>> distances(const Instance& instance, Rank source) {
  std::vector<std::optional<std::uint64_t>> result(instance.nodes);
  std::vector<Rank> queue{source};
  result[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::size_t a : instance.out[queue[i]]) {
      const Arc& arc = instance.arcs[a];
      const std::uint64_t distance = *result[arc.from] + arc.latency;
      if (result[arc.to] && *result[arc.to] <= distance) continue;
      result[arc.to] = distance;
      queue.push_back(arc.to);
    }
  }
  return result;
}

/// The components of the undirected graph without node `x`.
std::vector<std::optional<Rank>> parts(const Instance& instance, Rank x) {
  std::vector<std::optional<Rank>> part(instance.nodes);
  for (Rank start = 0; start < instance.nodes; ++start) {
    if (start == x || part[start]) continue;
    std::vector<Rank> open;
    const auto visit = [&](Rank v) {
      if (v == x || part[v]) return;
      part[v] = start;
      open.push_back(v);
    };
    visit(start);
    while (!open.empty()) {
      const Rank v = open.back();
      open.pop_back();
      for (const std::size_t a : instance.out[v]) visit(instance.arcs[a].to);
      for (const std::size_t a : instance.in[v]) visit(instance.arcs[a].from);
    }
  }
  return part;
}

/// Every rank can send to every other.
std::vector<Arc> arcs_between_ranks(const Machine& machine, std::uint64_t ranks) {
  std::vector<Arc> arcs;
  const std::uint64_t width = std::max<std::uint64_t>(machine.width(), 1);
  for (Rank u = 0; u < ranks; ++u) {
    for (Rank v = 0; v < ranks; ++v) {
      if (u != v) arcs.push_back({u, v, width, machine.latency()});
    }
  }
  return arcs;
}

std::vector<Arc> links_of(const Network& network) {
  std::vector<Arc> links;
  std::vector<Rank> neighbours;
  for (Rank u = 0; u < network.nodes(); ++u) {
    neighbours.clear();
    network.neighbours(u, neighbours);
    for (const Rank v : neighbours) links.push_back({u, v, network.link(u, v)->capacity});
  }
  return links;
}

bool passes_rank(const std::vector<Rank>& path, Rank ranks) {
  return path.size() > 2 &&
         std::any_of(path.begin() + 1, path.end() - 1, [&](Rank node) { return node < ranks; });
}

/// The routes between ranks, over the given links; those that pass through a rank only if
/// `passing`.
std::vector<Arc> routes_of(const Network& network, Rank ranks, const std::vector<Arc>& links,
                           bool passing) {
  const ArcNumbers number = arc_numbers(links);
  std::vector<Arc> arcs;
  for (Rank u = 0; u < ranks; ++u) {
    for (Rank v = 0; v < ranks; ++v) {
      if (u == v) continue;
      std::vector<Rank> path;
      network.route(u, v, path);
      if (!number.contains({u, path[1]})) continue;  // there is none
      if (!passing && passes_rank(path, ranks)) continue;
      Arc arc{u, v, Saturating::max, path.size() - 1};
      for (std::size_t i = 1; i < path.size(); ++i) {
        arc.links.push_back(number.at({path[i - 1], path[i]}));
        arc.capacity = std::min(arc.capacity, links[arc.links.back()].capacity);
      }
      if (!arc.links.empty()) arcs.push_back(std::move(arc));
    }
  }
  return arcs;
}

/// Does it matter that a rank does not hold chunks in transit? Not if chunks are copied: two
/// transfers, to that rank and on from it, use the same links in the same steps (a part of a route
/// is a route), and the additional chunk at the rank is harmless. Nor in the dual of such a
/// problem. If the rank sums contributions they would mix with those in transit.
bool needs_passing_routes(const Problem& problem) { return problem.reduction() && !dual(problem); }

}  // namespace

ArcNumbers arc_numbers(std::span<const Arc> arcs) {
  ArcNumbers result;
  for (std::size_t a = 0; a < arcs.size(); ++a) result[{arcs[a].from, arcs[a].to}] = a;
  return result;
}

std::optional<std::uint64_t> Instance::nearest(std::span<const Rank> sources, Rank v) const {
  std::optional<std::uint64_t> result;
  for (const Rank source : sources) {
    if (distance[source][v] && (!result || *distance[source][v] < *result)) {
      result = distance[source][v];
    }
  }
  return result;
}

std::optional<std::uint64_t> Instance::to_nearest(Rank v, std::span<const Rank> goals) const {
  std::optional<std::uint64_t> result;
  for (const Rank goal : goals) {
    if (distance[v][goal] && (!result || *distance[v][goal] < *result)) result = distance[v][goal];
  }
  return result;
}

Saturating Instance::carried(Rank v, const std::vector<std::size_t>& some,
                             std::uint64_t steps_taken, std::uint64_t messages) const {
  if (steps_taken == 0) return 0;
  Saturating all = 0, widest = 0;
  std::set<std::size_t> shared;  // without waiting: the links at the node itself
  for (const std::size_t a : some) {
    if (!arcs[a].links.empty()) {
      shared.insert(arcs[a].from == v ? arcs[a].links.front() : arcs[a].links.back());
      continue;
    }
    all += arcs[a].capacity * (Saturating(steps_taken) + extra_rounds);
    widest = std::max(widest, arcs[a].capacity);
  }
  for (const std::size_t l : shared) all += links[l].capacity * steps_taken;
  if (logp) return widest * ((steps_taken - 1) / logp->spacing() + 1);
  return ports ? std::min(all, widest * messages * steps_taken) : all;
}

Saturating Instance::receivable(Rank v, std::uint64_t steps_taken) const {
  return carried(v, in[v], steps_taken, ports ? ports->receive : 0);
}

Saturating Instance::step_capacity(std::uint64_t receivers) const {
  const std::uint64_t ends = std::min(ports->send * ranks, ports->receive * receivers);
  return arcs.front().capacity * std::min(ends, ports->both * ranks / 2);
}

Saturating Instance::sendable(Rank v, std::uint64_t t) const {
  return carried(v, out[v], t < quickest ? 0 : t - quickest + 1, ports ? ports->send : 0);
}

bool hop_level_only(const Question& question) {
  const Machine& machine = question.machine;
  const Rank ranks = question.problem.ranks;
  if (!machine.routed() || !question.waiting || !needs_passing_routes(question.problem)) {
    return false;
  }
  if (!machine.network()->levels().empty()) return false;  // ranks are leaves
  std::vector<Rank> path;
  for (Rank u = 0; u < ranks; ++u) {
    for (Rank v = 0; v < ranks; ++v) {
      path.clear();
      if (u != v) machine.network()->route(u, v, path);
      if (passes_rank(path, ranks)) return true;
    }
  }
  return false;
}

namespace {

/// The arcs, and the links that routes take.
void add_arcs(Instance& instance, const Question& question) {
  const Machine& machine = question.machine;
  if (machine.network() && question.waiting) {
    instance.arcs = links_of(*machine.network());
  } else if (machine.network()) {
    instance.links = links_of(*machine.network());
    instance.arcs = routes_of(*machine.network(), question.problem.ranks, instance.links,
                              needs_passing_routes(question.problem));
  } else {
    instance.arcs = arcs_between_ranks(machine, instance.ranks);
    if (machine.channels()) add_channels(instance, question);
  }
}

void reverse_arcs(Instance& instance) {
  for (auto* arcs : {&instance.arcs, &instance.links}) {
    for (Arc& arc : *arcs) {
      std::swap(arc.from, arc.to);
      std::ranges::reverse(arc.links);
      std::ranges::reverse(arc.channels);
    }
  }
}

/// The arcs by node, and the distances over them.
void add_nodes(Instance& instance, const Machine& machine) {
  instance.out.resize(instance.nodes);
  instance.in.resize(instance.nodes);
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    instance.out[instance.arcs[a].from].push_back(a);
    instance.in[instance.arcs[a].to].push_back(a);
  }
  for (Rank v = 0; v < instance.nodes; ++v) {
    if (machine.network()) {
      instance.distance.push_back(distances(instance, v));
      instance.apart.push_back(parts(instance, v));
    } else {  // all nodes are neighbours
      instance.distance.emplace_back(instance.nodes, machine.latency());
      instance.distance.back()[v] = 0;
      instance.apart.emplace_back(instance.nodes, Rank{0});
    }
  }
}

}  // namespace

Instance make_instance(const Question& question, Direction direction) {
  check_question(question);
  const Machine& machine = question.machine;
  Instance instance;
  instance.ranks = question.problem.ranks;
  instance.nodes =
      machine.network() && question.waiting ? machine.network()->nodes() : instance.ranks;
  instance.steps = question.steps;
  if (machine.ports()) instance.ports = *machine.ports();
  if (machine.timing()) instance.logp = *machine.timing();
  instance.rendezvous = machine.timing() && question.eager == 0;
  add_arcs(instance, question);
  if (direction == Direction::backwards) reverse_arcs(instance);
  if (!instance.arcs.empty()) {
    const auto [least, most] = std::ranges::minmax(instance.arcs, {}, &Arc::latency);
    instance.quickest = least.latency;
    instance.slowest = most.latency;
    std::tie(instance.extra_rounds, instance.step_rounds) =
        useful_rounds(question, std::ranges::min(instance.arcs, {}, &Arc::capacity).capacity);
  }
  add_nodes(instance, machine);
  return instance;
}

namespace {

/// Is v on a path of a chunk to a node that wants it, without repeated nodes?
bool on_path(const Instance& instance, const Delivery& chunk, Rank v) {
  for (Rank x = 0; x < instance.nodes; ++x) {
    if (x == v) continue;
    const std::vector<std::optional<Rank>>& part = instance.apart[x];
    const auto in_part = [&](Rank rank) { return rank != x && part[rank] == part[v]; };
    if (std::ranges::none_of(chunk.sources, in_part) &&
        std::ranges::none_of(chunk.goals, in_part)) {
      return false;  // it comes through x, and could only return through x
    }
  }
  return true;
}

}  // namespace

Window window(const Instance& instance, const Delivery& chunk, Rank v) {
  constexpr Window never{1, 0};
  const std::uint64_t T = instance.steps;
  const auto first = instance.nearest(chunk.sources, v);
  if (!first) return never;
  if (chunk.wanted_by(v)) return {*first, T};
  if (!on_path(instance, chunk, v)) return never;
  const auto rest = instance.to_nearest(v, chunk.goals);
  return rest && *rest <= T ? Window{*first, T - *rest} : never;
}

}  // namespace schedcc::prover
