#include "program/plan/clocks.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace schedcc::program {

PlanClocks::PlanClocks(const PlanTrace& trace, const PlanGraph& graph, PlanEdge::Kind weakest)
    : trace_(trace),
      graph_(graph),
      weakest_(weakest),
      none_(std::make_shared<VectorClock>(trace.blocks().size())),
      clocks_(trace.actions().size()),
      plain_(trace.actions().size()),
      kept_(trace.actions().size()),
      left_(trace.actions().size()) {
  for (Node node = 0; node < trace.actions().size(); ++node) {
    const PlanAction& a = trace.actions()[node];
    if (is_sync(a) && trace.blocks()[a.block].block == nullptr) keep(node);
  }
}

void PlanClocks::pass(Node node) {
  const PlanAction& a = trace_.actions()[node];
  ClockPtr clock = none_;
  std::uint32_t own = 0;  // points of its threadblock that are behind `clock`
  bool plain = true;
  // The last ones first, as they know most.
  const auto links = graph_.before(node);
  for (std::size_t i = links.size(); i-- > 0;) {
    const PlanGraph::Link& link = links[i];
    if (!counts(link)) continue;
    const PlanAction& before = trace_.actions()[link.to];
    if (before.block == a.block && a.block != no_block) {
      if (!plain_[link.to] || own < own_points(before)) join(clock, clocks_[link.to]);
      own = std::max(own, own_points(before));
      plain &= plain_[link.to];
      continue;
    }
    plain = false;
    if (before.block == no_block) {
      join(clock, clocks_[link.to]);
    } else if (const std::uint32_t known = (*clock)[before.block];
               !plain_[link.to] || known < own_points(before)) {
      join(clock, clocks_[link.to]);
      if ((*clock)[before.block] < own_points(before))
        unshared(clock).set(before.block, own_points(before));
    }
  }
  clocks_[node] = std::move(clock);
  plain_[node] = plain || is_sync(a);
  left_[node] = static_cast<std::uint32_t>(graph_.after(node).size());
}

void PlanClocks::drop(Node node) {
  for (const PlanGraph::Link& link : graph_.before(node)) {
    if (--left_[link.to] > 0 || kept_[link.to]) continue;
    ClockPtr clock = std::move(clocks_[link.to]);
    if (clock.use_count() == 1) spare_.push_back(std::move(clock));
  }
}

VectorClock& PlanClocks::unshared(ClockPtr& clock) {
  if (clock.use_count() == 1) return *clock;
  if (spare_.empty()) {
    clock = std::make_shared<VectorClock>(*clock);
  } else {
    *spare_.back() = *clock;
    clock = std::move(spare_.back());
    spare_.pop_back();
  }
  return *clock;
}

void PlanClocks::join(ClockPtr& clock, const ClockPtr& other) {
  if (other == none_ || other == clock) return;
  if (clock == none_) {
    clock = other;
    return;
  }
  const auto differs = VectorClock::compare(*clock, *other);
  if (!differs.less) return;
  if (differs.greater) {
    unshared(clock).join(*other);
  } else {
    clock = other;
  }
}

bool PlanClocks::search(Node a, Node b, const std::vector<std::uint32_t>& place,
                        bool enough) const {
  std::vector<Node> found{a};
  std::set<Node> seen{a};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const PlanGraph::Link& link : graph_.after(found[i])) {
      if (!counts(link) || place[link.to] > place[b]) continue;
      if (link.to == b && enough) return true;
      const PlanAction& next = trace_.actions()[link.to];
      if (is_behind(b, next)) return true;
      if (!is_sync(next) && seen.insert(link.to).second) found.push_back(link.to);
    }
  }
  return false;
}

}  // namespace schedcc::program
