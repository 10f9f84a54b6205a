#pragma once

#include <algorithm>

#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The limits, and at most `time` from now on.
inline SolverLimits within_time(SolverLimits limits, SolverLimits::Clock::duration time) {
  const auto then = SolverLimits::Clock::now() + time;
  limits.deadline = std::min(limits.deadline.value_or(then), then);
  return limits;
}

}  // namespace schedcc::prover
