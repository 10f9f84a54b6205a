#pragma once

// Many questions: the least number of steps, and the frontier of steps against rounds and chunks.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "prover/decide.hpp"

namespace schedcc::prover {

/// A question that was asked, and what came of it.
struct Try {
  std::uint64_t steps;
  std::optional<std::uint64_t> rounds;
  std::uint64_t chunks;
  Answer answer;
  double seconds;
};

struct SearchOptions {
  std::vector<const SolverEntry*> solvers;
  Limits limits;
  std::string certificates;  ///< the folder for them; empty: none
  std::function<void(const Question&)> before;
  std::function<void(const Try&)> after;
};

/// What is known of the least number of steps.
struct Interval {
  std::uint64_t least = 0;            ///< there is no schedule with fewer steps
  std::optional<std::uint64_t> most;  ///< there is one with so many
  bool none = false;                  ///< there is none at all with the rounds of the question
  bool counted = false;               ///< `least` is from counting, and no solver has raised it
  std::shared_ptr<const Schedule> schedule;  ///< with `most` steps
  std::vector<Try> tried;

  bool decided() const { return most && *most == least; }
};

/// Raises the number of steps from 1 (or from `bound`, which is taken for granted) until there is a
/// schedule. Where a number is hard to decide it looks further up for some schedule, and comes
/// back. Throws InputError where some chunk has no way to somebody who wants it.
Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound = std::nullopt);

/// One entry of a frontier: with these chunks neither fewer steps and as many rounds nor as many
/// steps and fewer rounds do.
struct Optimum {
  std::uint64_t chunks, steps, rounds;
  std::shared_ptr<const Schedule> schedule;
};

/// The frontier for 1, 2, ... chunks up to those of the question.
struct Frontier {
  std::vector<Optimum> optima;
  std::vector<Try> tried;
  bool complete = true;  ///< nothing was left undecided
};

/// On topologies steps and rounds, on other machines steps alone (and rounds are the same).
Frontier frontier(const Question& question, const SearchOptions& options);

}  // namespace schedcc::prover
