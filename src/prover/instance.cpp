#include "prover/instance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Distances from `source`, in steps.
std::vector<std::uint64_t> distances(const Instance& instance, Rank source) {
  std::vector<std::uint64_t> result(instance.nodes, Instance::far);
  std::vector<Rank> queue{source};
  result[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::size_t a : instance.out[queue[i]]) {
      const Rank to = instance.arcs[a].to;
      if (result[to] != Instance::far) continue;
      result[to] = result[queue[i]] + instance.latency;
      queue.push_back(to);
    }
  }
  return result;
}

/// The parts that remain, in whatever direction arcs go, when node `x` is taken out.
std::vector<std::uint64_t> parts(const Instance& instance, Rank x) {
  std::vector<std::uint64_t> part(instance.nodes, Instance::far);
  for (Rank start = 0; start < instance.nodes; ++start) {
    if (start == x || part[start] != Instance::far) continue;
    std::vector<Rank> queue{start};
    part[start] = start;
    const auto visit = [&](Rank v) {
      if (v == x || part[v] != Instance::far) return;
      part[v] = start;
      queue.push_back(v);
    };
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::size_t a : instance.out[queue[i]]) visit(instance.arcs[a].to);
      for (const std::size_t a : instance.in[queue[i]]) visit(instance.arcs[a].from);
    }
  }
  return part;
}

std::vector<Arc> arcs_of(const Machine& machine, std::uint64_t nodes) {
  std::vector<Arc> arcs;
  const std::uint64_t width = std::max<std::uint64_t>(machine.width, 1);
  for (Rank u = 0; u < nodes; ++u) {
    for (Rank v = 0; v < nodes; ++v) {
      if (u == v) continue;
      if (machine.ports || machine.logp) {
        arcs.push_back({u, v, width});
      } else if (const auto link = machine.network ? machine.network->link(u, v) : std::nullopt) {
        arcs.push_back({u, v, link->capacity});
      }
    }
  }
  return arcs;
}

}  // namespace

std::uint64_t Instance::carried(const std::vector<std::size_t>& some, std::uint64_t steps_taken,
                                std::uint64_t messages) const {
  if (steps_taken == 0) return 0;
  std::uint64_t all = 0, widest = 0;
  for (const std::size_t a : some) {
    all += arcs[a].capacity * (steps_taken + extra_rounds);
    widest = std::max(widest, arcs[a].capacity);
  }
  if (logp) return widest * ((steps_taken - 1) / logp->spacing() + 1);
  return ports ? std::min(all, messages * widest * steps_taken) : all;
}

std::uint64_t Instance::receivable(Rank v, std::uint64_t steps_taken) const {
  return carried(in[v], steps_taken, ports ? ports->receive : 0);
}

std::uint64_t Instance::sendable(Rank v, std::uint64_t t) const {
  return carried(out[v], t < latency ? 0 : t - latency + 1, ports ? ports->send : 0);
}

Instance make_instance(const Question& question, bool reversed) {
  const Machine& machine = question.machine;
  if (machine.channels || (!machine.ports && !machine.logp && !machine.network)) {
    throw InputError(fmt::format("prove has no rules for machine '{}'", machine.spec));
  }
  if (question.rounds && *question.rounds < question.steps) {
    throw InputError(fmt::format("{} rounds are too few for {} steps: each takes at least one",
                                 *question.rounds, question.steps));
  }
  Instance instance;
  instance.ranks = question.problem.ranks;
  instance.nodes = machine.network ? machine.network->nodes() : instance.ranks;
  instance.steps = question.steps;
  instance.extra_rounds = question.rounds ? *question.rounds - question.steps : 0;
  instance.ports = machine.ports;
  instance.logp = machine.logp;
  instance.latency = machine.latency();
  instance.arcs = arcs_of(machine, instance.nodes);
  if (reversed) {
    for (Arc& arc : instance.arcs) std::swap(arc.from, arc.to);
  }
  instance.out.resize(instance.nodes);
  instance.in.resize(instance.nodes);
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    instance.out[instance.arcs[a].from].push_back(a);
    instance.in[instance.arcs[a].to].push_back(a);
  }
  for (Rank v = 0; v < instance.nodes; ++v) {
    instance.distance.push_back(distances(instance, v));
    instance.apart.push_back(parts(instance, v));
  }
  return instance;
}

std::vector<Delivery> deliveries(const Problem& problem) {
  std::vector<Delivery> result(problem.total_chunks());
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    for (Chunk c = 0; c < result.size(); ++c) {
      if (problem.starts_with(rank, c)) result[c].sources.push_back(rank);
    }
  }
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    const Problem::Goal goal = problem.goal(rank);
    for (std::uint32_t i = 0; i < goal.repeat; ++i) {
      const Run run = goal.part(i);
      for (Chunk c = run.first; c < run.first + run.count; ++c) {
        const bool has_it = !problem.reduced(c) && problem.starts_with(rank, c);
        if (!has_it) result[c].goals.push_back(rank);
      }
    }
  }
  return result;
}

}  // namespace schedcc::prover
