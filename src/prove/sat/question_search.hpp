#pragma once

// Questions of one search, one after the other, and what each answers.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/constructions.hpp"
#include "prove/sat/search.hpp"
#include "prove/sat/solve/time_limit.hpp"

namespace schedcc::prover {

/// The answer of an algorithm, or of `known` where that is better; the schedule has `steps` steps.
/// Unknown if there is none.
Decision constructed(const Question& question, const SolverLimits& limits, std::uint64_t& steps,
                     const std::optional<Construction>& known);

/// The steps of the chunk that has the farthest to go.
std::uint64_t farthest(const Question& question);

/// Decides questions that differ in steps and rounds, and keeps the results.
class QuestionSearch {
 public:
  QuestionSearch(Question question, const SearchOptions& options, std::vector<SearchResult>& tried)
      : question_(std::move(question)), options_(options), tried_(tried) {}

  /// Decides one question, within `seconds` if that is given.
  Decision decide_steps_and_rounds(std::uint64_t steps, std::optional<std::uint64_t> rounds,
                                   std::optional<double> seconds = std::nullopt) {
    question_.steps = steps;
    question_.rounds = rounds;
    SolverLimits limits = options_.limits;
    if (seconds) {
      limits =
          within_time(std::move(limits), std::chrono::duration_cast<SolverLimits::Clock::duration>(
                                             std::chrono::duration<double>(*seconds)));
    }
    if (options_.before) options_.before(question_);
    Decision decision = decide(limits);
    exhausted_ |= decision.exhausted;
    record(decision);
    return decision;
  }

  /// Answers with the schedule of an algorithm, or with a known one, with which `steps` is its
  /// number of steps. Unknown if there is none.
  Decision construct(std::uint64_t& steps, const std::optional<Construction>& known) {
    question_.steps = steps;
    if (options_.before) options_.before(question_);
    Decision decision = constructed(question_, options_.limits, steps, known);
    question_.steps = steps;
    if (decision.answer == Answer::sat) record(decision);
    return decision;
  }

  /// Answers with a known schedule, which took some time to be found.
  Decision record_known(const Construction& known, std::optional<std::uint64_t> rounds,
                        double seconds = 0) {
    question_.steps = known.steps;
    question_.rounds = rounds;
    if (options_.before) options_.before(question_);
    Decision decision;
    decision.answer = Answer::sat;
    decision.schedule = known.schedule;
    decision.construction = known.name;
    decision.seconds = seconds;
    record(decision);
    return decision;
  }

  /// Has it been refuted that this number of steps shares this number of rounds? (A step takes at
  /// least one, so there are no more steps than rounds.)
  bool refuted(std::uint64_t steps, std::uint64_t rounds) {
    steps = std::min(steps, rounds);
    const bool known = std::ranges::any_of(tried_, [&](const SearchResult& entry) {
      return entry.chunks == question_.problem.chunks && entry.steps == steps &&
             entry.rounds.value_or(entry.steps) == rounds && entry.answer == Answer::unsat;
    });
    return known || decide_steps_and_rounds(steps, rounds).answer == Answer::unsat;
  }

  /// A question ran out of memory: larger ones will, too.
  bool exhausted() const { return exhausted_; }
  bool over() const { return exhausted_ || options_.limits.reached(); }

 private:
  void record(const Decision& decision) {
    tried_.push_back(tried(question_, decision));
    if (options_.after) options_.after(tried_.back());
  }
  /// Too many steps end the search, but keep the known results.
  Decision decide(const SolverLimits& limits) const {
    try {
      return prover::decide(question_, options_.solvers, limits, {},
                            options_.certificate(question_));
    } catch (const InstanceTooLarge& error) {
      if (tried_.empty()) throw;
      Decision decision;
      decision.exhausted = true;
      decision.limit = error.what();
      return decision;
    }
  }

  Question question_;
  const SearchOptions& options_;
  std::vector<SearchResult>& tried_;
  bool exhausted_ = false;
};

}  // namespace schedcc::prover
