#pragma once

// Searches for schedules of copies step by step, not by one formula for all steps.

#include <cstdint>

#include "prove/sat/decide.hpp"
#include "prove/sat/solver.hpp"

namespace schedcc::prover {

/// Looks for a schedule without a solver, by deadlines or the rarest packets first, in tries whose
/// number grows with `effort`: rarest first, so many receptions of packets together. Where every
/// chunk goes to one rank no packet becomes less rare, and messages are placed in steps instead.
/// Unknown if none is found.
Decision search_packets(const Question& question, const SolverLimits& limits, std::uint64_t effort);

/// Are there only chunks that go from one rank to one other? Then search_packets() is also worth a
/// long search.
bool single_goals_only(const Question& question);

/// Do prices of ports and channels show that there is no schedule (prices.hpp)?
bool refuted_by_prices(const Question& question, const SolverLimits& limits);

/// Looks for exchanges on meshes and groups of ranks (exchange_windows.hpp).
Decision search_windows(const Question& question, const SolverEntry& solver,
                        const SolverLimits& limits);

}  // namespace schedcc::prover
