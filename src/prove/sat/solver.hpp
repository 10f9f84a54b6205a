#pragma once

// Solvers behind one small interface: a formula goes in, an answer and a model come out.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/formula.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// Thrown where limits are reached while a solver's input is written down.
struct Stopped {};
/// What such work calls now and then: it ticks, and throws Stopped if the limits, which must
/// outlive it, are reached.
std::function<void()> watch(const Limits& limits);

/// The values of the variables 1, 2, ... at [1], [2], ...
using Model = std::vector<bool>;

/// A solver: the last lines of its file.
struct SolverEntry {
  std::string_view name;
  std::string_view summary;
  /// Fills `model` if the answer is sat. `proof`: a file for a DRAT proof of unsat; empty: none.
  Answer (*solve)(const Formula& formula, const Limits& limits, Model& model,
                  const std::string& proof);
  bool writes_proofs;
};

/// What Z3, with the engine that it has for `logic` (empty: its own choice), says of a query in
/// SMT-LIB: fractions of schedules, closed forms, and, for measurements, other encodings of the
/// same questions. InputError where there is no Z3. `model`: filled, if the answer is sat, with the
/// values of numeric constants, in decimal.
Answer ask_z3(const std::string& smtlib, const std::string& logic, const Limits& limits,
              std::map<std::string, std::string>* model = nullptr);

/// Was schedcc built with Z3?
bool has_z3();

/// Those that were there when schedcc was built; the first is the default.
std::span<const SolverEntry* const> solvers();
/// By name; throws InputError with the names that there are.
const SolverEntry& find_solver(std::string_view name);
/// Those that ProofOptions::solver names. Throws InputError.
std::vector<const SolverEntry*> chosen_solvers(std::string_view name);

}  // namespace schedcc::prover
