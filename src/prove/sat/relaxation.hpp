#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// What goes from its sources to its goals: a chunk that is copied, or a contribution to a sum. All
/// contributions to a chunk that a rank holds are sent together.
struct Flow {
  Chunk chunk;
  Delivery delivery;
};

/// The problem whose relaxation is asked for.
struct FlowProblem {
  std::vector<Delivery> chunks;
  std::vector<Flow> flows;  ///< by chunk
  /// By chunk: transfers of it that every schedule makes at least; 0: nothing is known.
  std::vector<std::uint64_t> transfers;
  bool nodes_alike = true;  ///< may nodes be renamed? (Those of a scan may not.)
};

/// Chunks that are copied.
FlowProblem copy_flows(const std::vector<Delivery>& chunks);

/// A query in SMT-LIB over the reals. If it is unsatisfiable there is no schedule: every schedule
/// yields a solution of it. None for machines without rules (LogP) or if it would be too large to
/// be fast. `poll_limits` is called from time to time; an exception from it ends the work.
std::optional<std::string> relaxation(const Instance& instance, const FlowProblem& problem,
                                      const std::function<void()>& poll_limits = nullptr);

}  // namespace schedcc::prover
