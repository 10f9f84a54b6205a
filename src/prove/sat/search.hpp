#pragma once

// Many questions: the least number of steps, and the frontier of steps against rounds and chunks.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "prove/sat/constructions.hpp"
#include "prove/sat/decide.hpp"

namespace schedcc::prover {

/// The result of a question.
SearchResult tried(const Question& question, const Decision& decision);

struct SearchOptions {
  std::vector<const SolverEntry*> solvers;
  SolverLimits limits;
  std::string certificates = {};  ///< their folder; empty: no certificates
  bool constructions = false;     ///< are schedules of algorithms answers?
  std::function<void(const Question&)> before = nullptr;
  std::function<void(const SearchResult&)> after = nullptr;
  /// Called with the size of a certificate's formula in bytes.
  std::function<void(std::uint64_t)> announce = nullptr;
  bool parts = true;  ///< with constructions: are those of fewer chunks, one after another?

  /// The certificate of a question.
  CertificateOptions certificate(const Question& question) const;
};

/// The known bounds on the least number of steps.
struct Interval {
  std::uint64_t least = 0;            ///< there is no schedule with fewer steps
  std::optional<std::uint64_t> most;  ///< there is one with this number of steps
  bool none = false;                  ///< there is none at all with the rounds of the question
  bool exhausted = false;             ///< the search ended out of memory, or at a limit
  bool counted = false;               ///< `least` is from counting, and no solver has raised it
  std::shared_ptr<const Schedule> schedule;  ///< with `most` steps
  std::vector<SearchResult> tried;

  bool decided() const { return most && *most == least; }
};

/// A goal that no path leads to, if there is one.
std::optional<Unreachable> unreachable(const Question& question);

/// Is there a schedule with the steps of the question? If they are many more than chunks need,
/// fewer are tried first: a schedule with fewer steps is an answer.
Decision decide_steps(const Question& question, const SearchOptions& options);

/// Raises the number of steps from 0 (or from `bound`, which is assumed) until there is a schedule.
/// If a number is hard to decide it first looks for a schedule with more steps. From the lower
/// bound by counting on, the schedule of an algorithm is looked for before a solver does, or
/// `known`, which is one; then schedules of fewer chunks, and one with a few steps more. Throws
/// InputError if some chunk has no path to a node that wants it.
Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound = std::nullopt,
                     const std::optional<Construction>& known = std::nullopt);

/// The results for 1, 2, ... chunks up to those of the question; `assume_bound`: numbers of steps
/// below the lower bound by counting are not tried.
Frontier frontier(const Question& question, const SearchOptions& options,
                  bool assume_bound = false);

/// The lower bound by counting (counted_bound), if there is one above 0.
std::optional<LowerBound> bound_to_assume(const Question& question);

}  // namespace schedcc::prover
