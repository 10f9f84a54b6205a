#include "program/plan/links.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "program/plan/order.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

class LinkFinder {
 public:
  explicit LinkFinder(const PlanTrace& trace)
      : trace_(trace), counter_(trace.actions().size(), no_counted) {
    for (std::uint32_t c = 0; c < trace.counters().size(); ++c) {
      for (const auto& use : trace.counters()[c].waits) counter_[use.action] = c;
    }
  }

  PlanLinks run() {
    find_waits();
    find_accesses();
    find_barriers();
    return std::move(links_);
  }

 private:
  OperationRef at(Node node) const {
    const PlanAction& a = trace_.actions()[node];
    return {a.owner, a.step};
  }
  Rank gpu(Node node) const { return trace_.blocks()[trace_.actions()[node].owner].gpu; }
  const PlanAccess* written_packet(Node node) const {
    const PlanAction& a = trace_.actions()[node];
    for (std::uint32_t i = a.first; i < a.first + a.count; ++i) {
      const PlanAccess& access = trace_.accesses()[i];
      if (access.packet && access.kind == AccessKind::write) return &access;
    }
    return nullptr;
  }

  /// Slices of pipelines wait for the same slice, or for earlier ones, of which only the former is
  /// an order of operations. Of the waits of a threadblock on a channel the first one that is after
  /// a signal makes the others so.
  void find_waits() {
    std::set<std::pair<OperationRef, OperationRef>> known;
    std::map<std::tuple<OperationRef, std::uint32_t, std::uint32_t>, OperationRef> first;
    for (const PlanEdge& edge : trace_.edges()) {
      if (counter_[edge.to] == no_counted) continue;
      const OperationRef to = at(edge.to);
      const auto [place, added] =
          first.try_emplace({at(edge.from), to.block, counter_[edge.to]}, to);
      place->second = std::min(place->second, to);
    }
    for (const PlanEdge& edge : trace_.edges()) {
      const PlanAction& from = trace_.actions()[edge.from];
      const PlanAction& to = trace_.actions()[edge.to];
      if (from.owner == to.owner || from.step == no_step || to.step == no_step) continue;
      if (from.slice != to.slice) continue;
      if (const std::uint32_t counter = counter_[edge.to];
          counter != no_counted && first.at({at(edge.from), to.owner, counter}) != at(edge.to))
        continue;
      if (!known.emplace(at(edge.from), at(edge.to)).second) continue;
      const PlanAccess* packet = written_packet(edge.from);
      links_.waits.push_back({at(edge.from), at(edge.to), packet != nullptr,
                              packet != nullptr ? trace_.memory().slot(packet->cell) : Slot{}});
      if (packet != nullptr) awaited_.emplace(at(edge.from), gpu(edge.to));
    }
  }

  void find_accesses() {
    std::map<std::tuple<OperationRef, Rank, bool>, std::set<Slot, SlotLess>> found;
    for (Node node = 0; node < trace_.actions().size(); ++node) {
      const PlanAction& a = trace_.actions()[node];
      if (a.step == no_step) continue;
      for (std::uint32_t i = a.first; i < a.first + a.count; ++i) {
        const PlanAccess& access = trace_.accesses()[i];
        const Rank owner = trace_.memory().owner(access.cell);
        if (owner == gpu(node) || (access.packet && awaited_.contains({at(node), owner}))) continue;
        found[{at(node), owner, access.kind == AccessKind::write}].insert(
            trace_.memory().slot(access.cell));
      }
    }
    for (const auto& [key, slots] : found) {
      const auto& [operation, owner, write] = key;
      links_.accesses.push_back(
          {operation, owner, write, *slots.begin(), static_cast<std::uint32_t>(slots.size())});
    }
  }

  /// The n-th visits of threadblocks to a barrier are one.
  void find_barriers() {
    std::map<std::tuple<Rank, std::uint32_t, std::uint32_t>, std::vector<OperationRef>> visits;
    for (std::uint32_t b = 0; b < trace_.blocks().size(); ++b) {
      const PlanBlockRef& block = trace_.blocks()[b];
      if (block.block == nullptr) continue;
      std::map<std::uint32_t, std::uint32_t> often;
      for (std::uint32_t s = 0; s < block.block->steps.size(); ++s) {
        const PlanStep& step = block.block->steps[s];
        if (step.op != PlanOp::barrier) continue;
        visits[{block.gpu, step.barrier, often[step.barrier]++}].push_back({b, s});
      }
    }
    for (const auto& [barrier, operations] : visits) {
      if (operations.size() > 1) links_.barriers.push_back(operations);
    }
  }

  struct SlotLess {
    bool operator()(const Slot& a, const Slot& b) const {
      return std::tuple(a.buffer, a.offset) < std::tuple(b.buffer, b.offset);
    }
  };

  static constexpr std::uint32_t no_counted = UINT32_MAX;

  const PlanTrace& trace_;
  std::vector<std::uint32_t> counter_;  ///< by action: the number that it waits for
  PlanLinks links_;
  std::set<std::pair<OperationRef, Rank>> awaited_;  ///< packets at a GPU
};

}  // namespace

PlanLinks links_of(const Plan& plan) {
  const PlanGrids sizes = grids(plan);
  if (sizes.grids.empty()) {
    throw InputError(
        fmt::format("the operations of the plan cannot be analysed: {}", sizes.undecided));
  }
  PlanTrace trace(plan, sizes.grids.front(), 1);
  if (trace.too_large()) {
    throw InputError(fmt::format(
        "an invocation of the plan has more than {} actions, the limit of the analysis: a chunk of "
        "a range, or a part of one, is an action",
        PlanTrace::max_actions));
  }
  PlanGraph graph(trace);
  run_matched(trace, graph);
  return LinkFinder(trace).run();
}

}  // namespace schedcc::program
