#pragma once

// Questions to the prover, for its tests.

#include <string>
#include <vector>

#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "prove/sat/search.hpp"
#include "schedcc/machine.hpp"

namespace proving {

using namespace schedcc;
using namespace schedcc::prover;

inline Question question(const Problem& problem, const std::string& machine,
                         std::uint64_t steps = 0) {
  const Rank ranks = problem.ranks;
  return {problem, with_width(make_machine(machine, ranks), problem), steps, std::nullopt};
}

inline Question question(Collective collective, Rank ranks, std::uint32_t chunks,
                         const std::string& machine, std::uint64_t steps = 0) {
  return question(Problem{collective, ranks, 0, chunks, false, nullptr}, machine, steps);
}

/// schedcc can be built without solvers; then these tests are skipped.
inline bool no_solver() { return prover::solvers().empty(); }

inline std::vector<const SolverEntry*> first_solver() { return {prover::solvers().front()}; }

inline Interval least(const Question& question) {
  SearchOptions options;
  options.solvers = first_solver();
  return least_steps(question, options);
}

inline std::uint64_t least_of(Collective collective, Rank ranks, std::uint32_t chunks,
                              const std::string& machine) {
  const Question asked = question(collective, ranks, chunks, machine);
  const Interval interval = least(asked);
  REQUIRE(interval.decided());
  // No known lower bound may be above.
  const auto bound = lower_bound(asked.problem, asked.machine, 1).steps;
  CHECK(bound.value_or(0) <= interval.least);
  return interval.least;
}

}  // namespace proving
