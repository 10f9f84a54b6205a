#pragma once

// Searches for schedules of copies step by step, not by one formula for all steps.

#include <cstdint>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/solve/solver.hpp"

namespace schedcc::prover {

/// Looks for a schedule without a solver, by deadlines or the rarest packets first, in tries whose
/// number grows with `effort`: rarest first, so many receptions of packets together. Where every
/// chunk goes to one rank no packet becomes less rare, and messages are placed in steps instead.
/// Unknown if none is found.
Decision search_packets(const PreparedQuestion& prepared, const SolverLimits& limits,
                        std::uint64_t effort);

/// Looks for exchanges of nested groups on meshes and tori (nested_exchange.hpp).
Decision search_nested(const PreparedQuestion& prepared, const SolverEntry& solver,
                       const SolverLimits& limits);

/// Looks for exchanges on meshes, tori and groups of ranks (exchange_modules.hpp,
/// exchange_windows.hpp).
Decision search_windows(const PreparedQuestion& prepared, const SolverEntry& solver,
                        const SolverLimits& limits);

/// Looks for total exchanges on tori whose steps are translations of a few
/// (translated_exchange.hpp).
Decision search_translated(const PreparedQuestion& prepared, const SolverEntry& solver,
                           const SolverLimits& limits);

}  // namespace schedcc::prover
