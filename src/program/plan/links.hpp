#pragma once

// What operations of a plan have to do with others: for which they wait, and the memory of which
// GPUs they access. An invocation is traced, and what holds for actions holds for their operations.

#include <compare>
#include <cstdint>
#include <vector>

#include "program/plan/trace.hpp"

namespace schedcc::program {

/// An operation, by the threadblock in `PlanTrace::blocks` and its number there.
struct OperationRef {
  std::uint32_t block = no_block, step = no_step;
  auto operator<=>(const OperationRef&) const = default;
};

/// An operation of another threadblock that one waits for: it writes packets, or it signals.
struct PlanWait {
  OperationRef from, to;
  bool packets;
  Slot slot = {};  ///< the first of the packets
};

/// Access to memory of another GPU; not the writing of packets for which somebody waits.
struct RemoteAccess {
  OperationRef at;
  Rank gpu;
  bool write;
  Slot slot;                 ///< the first one
  std::uint32_t chunks = 0;  ///< places in that GPU's memory
};

struct PlanLinks {
  std::vector<PlanWait> waits;
  std::vector<RemoteAccess> accesses;
  std::vector<std::vector<OperationRef>> barriers;  ///< operations that end when all have begun
};

/// The links of a plan in calls of a size for which threadblocks do what they do in all. Throws
/// InputError if there are too many actions to follow, or there is no such size.
PlanLinks links_of(const Plan& plan);

}  // namespace schedcc::program
