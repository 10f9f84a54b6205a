#pragma once

#include <functional>

namespace schedcc::prover {

/// Called from time to time by work that may take long; an exception from it ends the work.
/// nullptr: nothing is called.
using PollLimits = std::function<void()>;

}  // namespace schedcc::prover
