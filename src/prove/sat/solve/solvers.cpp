// The list of solvers that schedcc was built with.

#include "core/names.hpp"
#include "prove/sat/solve/memory_limit.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

#ifdef SCHEDCC_CADICAL
extern const SolverEntry cadical_solver;
#endif
#ifdef SCHEDCC_Z3
extern const SolverEntry z3_solver;
#endif

bool has_z3() {
#ifdef SCHEDCC_Z3
  return true;
#else
  return false;
#endif
}

#ifndef SCHEDCC_Z3
Answer solve_with_z3(const std::string&, const std::string&, const SolverLimits&,
                     std::map<std::string, std::string>*) {
  throw InputError("schedcc was built without Z3");
}
#endif

PollLimits limit_checker(const SolverLimits& limits) {
  return [&limits] {
    if (limits.poll) limits.poll();
    if (limits.reached()) throw LimitsReached{};
    if (limits.out_of_memory()) throw MemoryReached(limits);
  };
}

std::string_view name(Answer answer) {
  switch (answer) {
    case Answer::sat:
      return "sat";
    case Answer::unsat:
      return "unsat";
    case Answer::unknown:
      break;
  }
  return "unknown";
}

std::span<const SolverEntry* const> solvers() {
  static const std::vector<const SolverEntry*> list{
#ifdef SCHEDCC_CADICAL
      &cadical_solver,
#endif
#ifdef SCHEDCC_Z3
      &z3_solver,
#endif
  };
  return list;
}

std::vector<const SolverEntry*> chosen_solvers(std::string_view name) {
  if (solvers().empty())
    throw InputError("schedcc was built without a solver; prove needs Z3 or CaDiCaL");
  if (name.empty()) return {solvers().front()};
  if (name == "both") {
    return {&find_named(solvers(), "solver", "cadical"), &find_named(solvers(), "solver", "z3")};
  }
  std::vector<std::string_view> names;
  for (const SolverEntry* solver : solvers()) {
    if (solver->name == name) return {solver};
    names.push_back(solver->name);
  }
  if (names.size() > 1) names.emplace_back("both");
  throw InputError(unknown("solver", name, names));
}

}  // namespace schedcc::prover
