#pragma once

// The linear relaxation of a question, for a solver of real arithmetic that works beside those of
// formulas (portfolio.cpp).

#include <optional>
#include <string>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// One commodity of the relaxation, which flows from its sources to its goals: a chunk that is
/// copied, or one contribution to a sum. All contributions to a chunk that a rank holds are sent
/// together.
struct Flow {
  Chunk chunk;
  Delivery delivery;
};

/// The problem whose relaxation is asked for.
struct FlowProblem {
  std::vector<Delivery> chunks;
  std::vector<Flow> flows;  ///< by chunk
  /// By chunk: a lower bound on its transfers; 0: nothing is known.
  std::vector<std::uint64_t> min_transfers;
  bool nodes_interchangeable = true;  ///< not in a scan
};

/// Chunks that are copied.
FlowProblem copy_flows(const std::vector<Delivery>& chunks);

/// A query in SMT-LIB over the reals. If it is unsatisfiable there is no schedule: every schedule
/// yields a solution of it. nullopt on LogP machines, which have no rules, and if the query would
/// be too large to solve quickly.
std::optional<std::string> relaxation(const Instance& instance, const FlowProblem& problem,
                                      const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
