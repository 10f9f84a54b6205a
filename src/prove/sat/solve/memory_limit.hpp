#pragma once

// The limit on memory: SolverLimits::memory, and what happens where it is reached.

#include <cstdint>

#include "prove/sat/solve/formula.hpp"
#include "schedcc/error.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The limit is reached, or would be.
class MemoryReached : public LimitError {
 public:
  using LimitError::LimitError;
  /// More than `limits.memory` is in use.
  explicit MemoryReached(const SolverLimits& limits);
};

/// About how many bytes a solver takes for a formula when it begins.
std::uint64_t solver_memory(const Formula& formula);
/// Does the limit leave room for `solvers` more with this formula?
bool has_room(const SolverLimits& limits, const Formula& formula, std::uint64_t solvers);
/// Throws MemoryReached unless it does, for one.
void require_room(const SolverLimits& limits, const Formula& formula);

/// Returns freed memory to the system, for a second look at what is in use.
void release_memory();

}  // namespace schedcc::prover
