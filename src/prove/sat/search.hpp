#pragma once

// Many questions: the least number of steps, and the frontier of steps against rounds and chunks.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "prove/sat/decide.hpp"
#include "schedcc/report.hpp"

namespace schedcc::prover {

/// What came of a question.
SearchResult tried(const Question& question, const Decision& decision);

struct SearchOptions {
  std::vector<const SolverEntry*> solvers;
  Limits limits;
  std::string certificates = {};  ///< the folder for them; empty: none
  std::function<void(const Question&)> before = nullptr;
  std::function<void(const SearchResult&)> after = nullptr;
  /// Is told how many bytes a certificate's formula will take.
  std::function<void(std::uint64_t)> announce = nullptr;

  /// What a question's certificate is to be.
  CertificateOptions certificate(const Question& question) const;
};

/// What is known of the least number of steps.
struct Interval {
  std::uint64_t least = 0;            ///< there is no schedule with fewer steps
  std::optional<std::uint64_t> most;  ///< there is one with so many
  bool none = false;                  ///< there is none at all with the rounds of the question
  bool exhausted = false;             ///< the search ended for want of memory, or at a limit
  bool counted = false;               ///< `least` is from counting, and no solver has raised it
  std::shared_ptr<const Schedule> schedule;  ///< with `most` steps
  std::vector<SearchResult> tried;

  bool decided() const { return most && *most == least; }
};

/// What no way leads to, if there is such a thing.
std::optional<Unreachable> unreachable(const Question& question);

/// What counting says of the steps that a schedule takes at least, with its source: messages as
/// wide as the machine lets them be, and each step may have all the rounds that the question
/// allows.
LowerBound counted_bound(const Question& question);

/// Is there a schedule with the steps of the question? Where they are many more than chunks need,
/// fewer are tried before: a schedule with fewer steps answers it.
Decision decide_steps(const Question& question, const SearchOptions& options);

/// Raises the number of steps from 0 (or from `bound`, which is taken for granted) until there is a
/// schedule. Where a number is hard to decide it looks further up for some schedule, and comes
/// back. Throws InputError where some chunk has no way to somebody who wants it.
Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound = std::nullopt);

/// What is known for 1, 2, ... chunks up to those of the question.
Frontier frontier(const Question& question, const SearchOptions& options);

}  // namespace schedcc::prover
