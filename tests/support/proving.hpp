#pragma once

// Questions to the prover, for its tests.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
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

/// The question of a collective of K packets with a root in the fewest steps that one port takes.
inline Question at_bound(Collective collective, Rank P, Rank root, std::uint32_t K,
                         const std::string& machine) {
  return question(Problem{collective, P, root, K, false, nullptr}, machine, exchange_steps(P, K));
}

/// A question on a machine with k ports.
inline Question with_ports(Collective collective, Rank P, Rank root, std::uint32_t K,
                           std::uint64_t k, std::uint64_t steps, std::uint64_t width = 1) {
  const std::string machine = "kport:k=" + std::to_string(k) + ",width=" + std::to_string(width);
  return question(Problem{collective, P, root, K, false, nullptr}, machine, steps);
}

/// Do all ranks together have time to receive K packets of a broadcast? In step t at most (k + 1)^t
/// ranks can send, and only P - 1 receive anything.
inline bool receivable(std::uint64_t P, std::uint64_t K, std::uint64_t k, std::uint64_t T) {
  std::uint64_t room = 0;
  for (std::uint64_t t = 0, holders = 1; t < T; ++t) {
    room += k * std::min(holders, P - 1);
    holders = std::min(P, holders * (k + 1));
  }
  return room >= K * (P - 1);
}

/// schedcc can be built without solvers; then these tests are skipped.
inline bool no_solver() { return prover::solvers().empty(); }

inline std::vector<const SolverEntry*> first_solver() { return {prover::solvers().front()}; }

/// The answer of a solver to the question with these clauses; a schedule has passed the checker.
inline Answer answer_with(const Hints& hints, const Question& asked) {
  const Encoding encoding = encode(asked, hints);
  Model model;
  const Answer result = first_solver().front()->solve(encoding.formula, {}, model, "");
  if (result == Answer::sat) accept(asked, encoding.schedule(model));
  return result;
}

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

/// The schedule that `search` finds for the copies of a question, called with these, a solver and
/// limits; it has passed the checker. nullptr if none is found. Searches take seconds: the time
/// that they are granted only ends one that does not find anything any more.
template <typename Search>
std::shared_ptr<const Schedule> found_by(const Question& asked, const Search& search) {
  const auto copies = copy_question(asked);
  REQUIRE(copies);
  SolverLimits limits;
  limits.deadline = SolverLimits::Clock::now() + std::chrono::minutes(15);
  std::shared_ptr<const Schedule> found = search(*copies, *first_solver().front(), limits);
  if (!found) return nullptr;
  found = copies->schedule(std::move(found));
  accept(asked, found);  // throws where it does not hold, or takes more steps
  return found;
}

}  // namespace proving
