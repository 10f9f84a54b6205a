#pragma once

// Many questions: the least number of steps, and the frontier of steps against rounds and chunks.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "prove/sat/decide.hpp"
#include "schedcc/report.hpp"

namespace schedcc::prover {

/// A question that was asked, and what came of it.
struct SearchResult {
  std::uint64_t steps;
  std::optional<std::uint64_t> rounds;
  std::uint64_t chunks;
  Answer answer;
  double seconds;
  std::vector<Refutation> refuted;  ///< of an unsat: by whom
  bool exhausted = false;           ///< undecided for want of memory, or at a limit
  std::string limit = {};           ///< the limit that was reached; empty: the memory
  Basis basis = Basis::argued;      ///< of its certificate
};

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

/// A rank that wants a chunk, or a contribution to one, to which no way leads from where that
/// starts, if there is one: no number of steps is enough then.
struct Unreachable {
  Chunk chunk;
  std::vector<Rank> sources;  ///< where it starts; there may be none
  Rank goal;
  std::vector<Rank> reached;  ///< all nodes to which ways lead from the sources, these among them
};
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

/// One entry of a frontier: with these chunks neither fewer steps and as many rounds nor as many
/// steps and fewer rounds do.
struct Optimum {
  std::uint64_t chunks, steps, rounds;
  std::shared_ptr<const Schedule> schedule;
  bool refuted = true;  ///< one step less and one round less: by the solver
};

/// What is known of an entry that was not decided.
struct OpenEntry {
  std::uint64_t chunks;
  /// Topologies: so many steps were to share as few rounds as they can. None: steps (topologies:
  /// rounds, shared by whatever number of steps) were counted.
  std::optional<std::uint64_t> steps;
  std::uint64_t least;                ///< fewer of what is counted are impossible
  std::optional<std::uint64_t> most;  ///< so many are enough
};

/// The frontier for 1, 2, ... chunks up to those of the question.
struct Frontier {
  std::vector<Optimum> optima;
  std::vector<OpenEntry> open;
  std::uint64_t untried = 0;  ///< from so many chunks on nothing was asked; 0: no such entry
  std::vector<SearchResult> tried;

  /// Was nothing left undecided?
  bool complete() const {
    return open.empty() && untried == 0 && std::ranges::all_of(optima, &Optimum::refuted);
  }
};

/// On topologies steps and rounds, on other machines steps alone (and rounds are the same).
Frontier frontier(const Question& question, const SearchOptions& options);

}  // namespace schedcc::prover
