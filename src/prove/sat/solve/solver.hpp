#pragma once

// The interface of solvers: from a formula to an answer and a model.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/solve/formula.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// Thrown if limits are reached while a solver's input is built.
struct LimitsReached {};
/// The `poll_limits` function of such work: it calls SolverLimits::poll, and throws LimitsReached
/// if the limits, which must outlive it, are reached, MemoryReached if that on memory is.
PollLimits limit_checker(const SolverLimits& limits);

/// A solver, defined at the end of its file.
struct SolverEntry {
  std::string_view name;
  std::string_view summary;
  /// Fills `model` if the answer is sat. Throws MemoryReached. `proof`: a file for a DRAT proof of
  /// unsat; empty: none.
  Answer (*solve)(const Formula& formula, const SolverLimits& limits, Model& model,
                  const std::string& proof);
  bool writes_proofs;
  std::string (*version)() = [] { return std::string(); };  ///< of its library
};

/// The answer of Z3, with its engine for `logic` (empty: its own choice), to a query in SMT-LIB:
/// relaxations, symbolic proofs, and, for measurements, other encodings of the same questions.
/// Throws InputError without Z3. `model`: filled, if the answer is sat, with the values of numeric
/// constants, in decimal.
Answer solve_with_z3(const std::string& smtlib, const std::string& logic,
                     const SolverLimits& limits,
                     std::map<std::string, std::string>* model = nullptr);

/// Was schedcc built with Z3?
bool has_z3();

/// The solvers that schedcc was built with; the first is the default.
std::span<const SolverEntry* const> solvers();
/// The solvers that ProofOptions::solver names. Throws InputError.
std::vector<const SolverEntry*> chosen_solvers(std::string_view name);

}  // namespace schedcc::prover
