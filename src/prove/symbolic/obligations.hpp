#pragma once

// The proof obligations of a symbolic schedule, as conditions that cannot hold together.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prove/symbolic/symbolic.hpp"

namespace schedcc::prover {

/// No values of the variables satisfy all conditions: no rank does `what`. If some do, they give
/// the rank, the step and the packet of a counterexample.
struct Obligation {
  std::string what;
  std::vector<Condition> conditions;
  Term rank, step;
  Packet packet;
};
using Obligations = std::vector<Obligation>;

/// A check, and its obligations for the ranks of a class.
struct SymbolicCheck {
  std::string_view name;
  Obligations (*obligations)(const SymbolicSchedule&, const RankClass&);
};

/// In the order of proof: delivery comes before the checks that use arrivals.
std::span<const SymbolicCheck> symbolic_checks();

/// Obligations that have the same `what` and follow one another, as one.
Obligations merge_same_violations(Obligations obligations);

}  // namespace schedcc::prover
