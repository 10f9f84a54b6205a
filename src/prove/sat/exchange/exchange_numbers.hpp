#pragma once

// How many ranks of each module have each label of an exchange.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/solve/solver.hpp"

namespace schedcc::prover {

/// Modules of as many ranks each, any of which may send to any other, but only so many messages may
/// leave a module and enter it in a step.
struct ExchangeModules {
  std::size_t size = 0;               ///< the ranks of each
  std::size_t home = 0;               ///< the module of the root
  std::vector<std::int64_t> out, in;  ///< by module

  std::size_t count() const { return out.size(); }
};

/// The numbers of ranks of a module, by the age of their label: of those that play one role, but
/// the root, and of those that play two, by their young label.
struct ModuleLabels {
  std::vector<std::int64_t> once, twice;
  bool idle = false;  ///< does one of those of one role with the oldest label send nothing?
};

/// The labels of all modules when a step begins, by step, then by module.
using LabelNumbers = std::vector<std::vector<ModuleLabels>>;

/// Numbers of labels with which modules exchange so many packets (exchange_numbers.cpp). None if
/// the solver finds none.
std::optional<LabelNumbers> exchange_numbers(const ExchangeModules& modules, std::uint64_t packets,
                                             const SolverEntry& solver, const SolverLimits& limits);

}  // namespace schedcc::prover
