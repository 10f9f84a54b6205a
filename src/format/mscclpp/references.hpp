#pragma once

// The references in a plan: to GPUs, channels, remote buffers and semaphores, by their numbers.

#include <string>
#include <vector>

#include "schedcc/plan.hpp"

namespace schedcc {

/// A remote buffer of a GPU, as it is read.
struct ReadRemoteBuffer {
  PlanRemoteBuffer buffer;
  std::vector<PlanChannel> kinds;  ///< of the channels that access it
};
using RemoteBuffers = std::vector<ReadRemoteBuffer>;

/// Throws InputError, with the location in `file`, if a reference has no target. `remotes`: by GPU.
void check_references(const Plan& plan, const std::vector<RemoteBuffers>& remotes,
                      const std::string& file);

}  // namespace schedcc
