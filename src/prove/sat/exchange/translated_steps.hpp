#pragma once

// The messages of steps of which translations make all others, as a formula.

#include <cstddef>
#include <utility>
#include <vector>

#include "prove/sat/exchange/torus_ways.hpp"
#include "prove/sat/exchange/translations.hpp"
#include "prove/sat/solve/formula.hpp"
#include "prove/sat/solve/solver.hpp"

namespace schedcc::prover {

/// A step and its images under all translations, each once: those that preserve it are a subgroup.
struct StepOrbit {
  std::vector<Rank> preserving;  ///< the subgroup
  std::vector<Rank> moving;      ///< one translation for each of the steps

  StepOrbit(const Translations& translations, std::vector<Rank> subgroup);
};

/// Messages of a step: their number in TorusWays::messages, and one sender; the others are its
/// images under StepOrbit::preserving.
using OrbitMessages = std::vector<std::pair<std::size_t, Rank>>;

/// The formula of the first step of each orbit: together with their images, one orbit after
/// another, they have the messages of all ranks, no port has more than it carries in a step, and
/// what a rank passes on it has from an earlier orbit.
class TranslatedSteps {
 public:
  TranslatedSteps(const TranslatedPorts& ports, const TorusWays& ways,
                  const std::vector<StepOrbit>& orbits, PollLimits poll_limits);

  const Formula& formula() const { return formula_; }
  /// The messages of the first step of each orbit.
  std::vector<OrbitMessages> messages(const Model& model) const;

 private:
  void add_orbit(const StepOrbit& orbit);
  /// Limits the messages of a port in a step, and its idle steps if they are few.
  void limit_port(std::size_t port, Literals takers);
  void count_messages();
  /// What these messages pass on has arrived in an earlier orbit.
  void order(std::size_t later);
  /// The steps in which a port of a class with one message at a time has none.
  std::uint64_t idle(std::size_t of) const { return steps_ - ways_.load[of]; }

  const TranslatedPorts& ports_;
  const TorusWays& ways_;
  const std::vector<StepOrbit>& orbits_;
  std::uint64_t steps_ = 0;
  Formula formula_;
  std::vector<std::vector<Literals>> sent_;  ///< by messages and orbit: for each of `moving`
  std::vector<Literals> idle_;               ///< by class: has a port no message in a step?
};

}  // namespace schedcc::prover
