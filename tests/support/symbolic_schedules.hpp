#pragma once

// The symbolic schedules of the prover, for tests.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "prove/symbolic/symbolic.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"

namespace schedcc::symbolic_schedules {

inline const prover::SymbolicScheduleEntry& entry(std::string_view algorithm) {
  for (const prover::SymbolicScheduleEntry& e : prover::symbolic_schedules()) {
    if (e.algorithm == algorithm) return e;
  }
  throw InternalError("no symbolic schedule");
}

inline prover::SymbolicSchedule symbolic_schedule(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  prover::SymbolicSchedule schedule =
      entry(algorithm->name).make(*algorithm, request, c.P, nullptr);
  schedule.root = c.root;
  schedule.simplex = c.machine == "simplex";
  return schedule;
}

/// The specifications of the symbolic schedules that are tested, with the machines that have their
/// own.
inline std::vector<run::Case> all_symbolic_cases() {
  std::vector<run::Case> result;
  for (const prover::SymbolicScheduleEntry& e : prover::symbolic_schedules()) {
    const std::string name(e.algorithm);
    if (name == "fractional-tree") {
      for (const int r : {1, 2, 3, 5, 9}) result.push_back({fmt::format("{}:r={}", name, r)});
    } else if (name == "knomial-tree") {
      result.push_back({name + ":k=3"});
    } else {
      result.push_back({name});
    }
    if (name == "chain" || name == "binomial-tree") result.push_back({name, 1, 1, "simplex"});
  }
  return result;
}

}  // namespace schedcc::symbolic_schedules
