#pragma once

// What happens before each action of a run, by clocks.
//
// Every threadblock, and every caller, has a clock: a number for each of them, the last point at
// which all its threads met that happened before. An action a of a threadblock happens before b if
// b's clock is behind the point after a. Where threads continue without such a point, from a signal
// or a packet, the few actions up to the next one are searched.
//
// Most actions share the clock of the last point of their threadblock. Its own number is not in it:
// it is that of the action. Such an action has nothing new for a clock that is behind that point,
// so that clocks are compared only where a threadblock has waited for another one.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/vector_clock.hpp"
#include "program/plan/run.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

/// The clocks of actions, by edges up to a strength.
class PlanClocks {
 public:
  PlanClocks(const PlanTrace& trace, const PlanGraph& graph, PlanEdge::Kind weakest);

  /// Its clock will not be dropped.
  void keep(Node node) { kept_[node] = true; }
  /// Computes the clock of the next action of a run.
  void pass(Node node);
  /// Drops clocks that no action after this one needs, except those of callers.
  void drop(Node node);

  /// Does `a` happen before `b`, whose clock is not dropped? `place`: of actions in the run.
  bool ordered(Node a, Node b, const std::vector<std::uint32_t>& place) const {
    return is_behind(b, trace_.actions()[a]) || search(a, b, place, true);
  }
  /// The same, if all threads of some threadblock meet in between: all parts of `a` happen before
  /// all of `b`, not only those of the same elements.
  bool ordered_by_meeting(Node a, Node b, const std::vector<std::uint32_t>& place) const {
    return is_behind(b, trace_.actions()[a]) || search(a, b, place, false);
  }
  /// Is it behind the point of a threadblock that follows `a`?
  bool is_behind(Node node, const PlanAction& a) const {
    return a.block != no_block && points(node, a.block) > a.segment;
  }
  /// How many points of a threadblock happen before, itself included.
  std::uint32_t points(Node node, std::uint32_t block) const {
    const PlanAction& a = trace_.actions()[node];
    return a.block == block ? own_points(a) : (*clocks_[node])[block];
  }

 private:
  using ClockPtr = std::shared_ptr<VectorClock>;  ///< changed only where it is not shared

  static bool is_sync(const PlanAction& a) { return a.kind == PlanAction::Kind::sync; }
  /// The points of its own threadblock.
  static std::uint32_t own_points(const PlanAction& a) { return a.segment + is_sync(a); }
  bool counts(const PlanGraph::Link& link) const { return link.kind <= weakest_; }

  VectorClock& unshared(ClockPtr& clock);
  void join(ClockPtr& clock, const ClockPtr& other);
  /// By edges up to `b`, if these are `enough`, or to an action after which all threads of its
  /// threadblock meet before `b`.
  bool search(Node a, Node b, const std::vector<std::uint32_t>& place, bool enough) const;

  const PlanTrace& trace_;
  const PlanGraph& graph_;
  PlanEdge::Kind weakest_;
  ClockPtr none_;
  std::vector<ClockPtr> clocks_;
  std::vector<ClockPtr> spare_;  ///< dropped ones, for their memory
  std::vector<bool> plain_;      ///< is it the clock of the last point of the threadblock?
  std::vector<bool> kept_;
  std::vector<std::uint32_t> left_;  ///< edges to later actions
};

}  // namespace schedcc::program
