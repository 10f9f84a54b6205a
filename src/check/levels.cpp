#include "check/levels.hpp"

#include <memory>
#include <vector>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

void require_level(const Source& source, const Machine& machine) {
  if (!source.hop_level()) return;
  if (!machine.routed()) {
    if (!source.has_routers()) return;  // every rank is a hop away from every other
    throw InputError({source.file, 0, 0},
                     fmt::format("the schedule is at hop level, with {} nodes for {} ranks, but "
                                 "machine '{}' has no routers",
                                 source.nodes, source.problem.ranks, machine.spec()));
  }
  if (source.nodes != machine.network()->nodes()) {
    throw InputError({source.file, 0, 0},
                     fmt::format("the schedule has {} nodes, but machine '{}' has {}", source.nodes,
                                 machine.spec(), machine.network()->nodes()));
  }
}

provenance::ArrivalTime arrival_time(const Source& source, const Machine& machine) {
  const bool lowered = is_lowered(source, machine);
  const auto path = std::make_shared<std::vector<Rank>>();
  return [&machine, lowered, path](std::uint64_t step, const Transfer& t) {
    if (!lowered) return step + machine.latency();
    path->clear();
    machine.network()->route(t.src, t.dst, *path);
    return step + path->size() - 1;
  };
}

std::string describe_node(const Problem& problem, const Machine& machine, Rank node) {
  if (machine.routed()) return machine.network()->describe(node);
  return fmt::format("{} {}", node < problem.ranks ? "rank" : "node", node);
}

}  // namespace schedcc
