#pragma once

// Execution plans that are right, one of every construct.

#include <cstddef>
#include <string>
#include <vector>

#include "plans.hpp"

namespace plans {

using Operations = std::vector<PlanStep>;

/// The operations of a threadblock of a GPU.
Operations& ops(Plan& plan, Rank gpu, std::size_t block = 0);

/// Two GPUs put their blocks to one another.
Plan by_put();

/// Each reads the other one's block.
Plan by_read();

/// One threadblock receives, another one adds, ordered by semaphores or by a barrier.
Plan by_two_blocks(bool by_barrier);

/// A network interface moves the data.
Plan by_port();

/// The same as `by_put`, in packets.
Plan by_packets();

/// A switch adds, and stores at all GPUs.
Plan by_switch();

struct NamedPlan {
  std::string name;
  Plan plan;
};

/// A plan of every construct that the runtime documents; all of them hold.
std::vector<NamedPlan> right_plans();

}  // namespace plans
