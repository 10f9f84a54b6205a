#pragma once

// Runs a trace without data. No action can block another one that could be done, apart from threads
// of several threadblocks that wait for the same number: so one run decides for all.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program/plan/trace.hpp"

namespace schedcc::program {

/// The edges of a trace by the action that they leave.
class PlanGraph {
 public:
  explicit PlanGraph(const PlanTrace& trace);
  /// An edge's end and kind.
  struct Link {
    Node to;
    PlanEdge::Kind kind;
  };
  std::span<const Link> after(Node node) const { return row(after_, first_after_, node); }
  /// The same by the action that they lead to.
  std::span<const Link> before(Node node) const { return row(before_, first_before_, node); }

 private:
  static std::span<const Link> row(const std::vector<Link>& links,
                                   const std::vector<std::uint32_t>& first, Node node) {
    return {links.data() + first[node], links.data() + first[node + 1]};
  }

  std::vector<Link> after_, before_;
  std::vector<std::uint32_t> first_after_, first_before_;
};

struct PlanRun {
  std::vector<Node> order;  ///< of the actions that are done
  std::vector<bool> done;   ///< by action
  bool complete = false;
};

PlanRun execute(const PlanTrace& trace, const PlanGraph& graph);

/// Threads that wait forever: an operation that does, and why. `others`: those that it waits for
/// in a circle, as actions.
struct PlanStop {
  std::uint32_t block, step;
  std::string message;
  std::vector<Node> others = {};
};
/// For a run that is not complete, in its first invocation that is not.
std::vector<PlanStop> explain_stop(const PlanTrace& trace, const PlanGraph& graph,
                                   const PlanRun& run);

}  // namespace schedcc::program
