#include "program/plan/figures.hpp"

#include <algorithm>
#include <vector>

namespace schedcc::program {

PlanFigures figures_of(const PlanTrace& trace, const PlanGraph& graph, const PlanRun& run) {
  PlanFigures figures;
  std::vector<std::uint32_t> depth(trace.actions().size());
  std::vector<std::uint64_t> sent(trace.plan().gpus.size());
  const auto gpu = [&](Node node) { return trace.blocks()[trace.actions()[node].owner].gpu; };
  for (const Node node : run.order) {
    const PlanAction& a = trace.actions()[node];
    if (a.invocation > 0) continue;
    for (const PlanGraph::Link& link : graph.before(node)) {
      depth[node] = std::max(depth[node], depth[link.to] + (gpu(link.to) != gpu(node) ? 1 : 0));
    }
    figures.steps = std::max<std::uint64_t>(figures.steps, depth[node]);
    bool message = false;
    for (std::uint32_t i = a.first; i < a.first + a.count; ++i) {
      const PlanAccess& access = trace.accesses()[i];
      const Rank owner = trace.memory().owner(access.cell);
      if (owner == gpu(node)) continue;
      message = true;
      ++sent[access.kind == AccessKind::write ? gpu(node) : owner];
    }
    figures.messages += message;
  }
  for (const std::uint64_t cells : sent) {
    figures.volume = std::max<std::uint64_t>(figures.volume,
                                             (cells + trace.grid().cells - 1) / trace.grid().cells);
  }
  return figures;
}

}  // namespace schedcc::program
