#include "prove/sat/search.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "core/elapsed.hpp"
#include "core/saturating.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/fewer_chunks.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/question_search.hpp"
#include "prove/sat/searches.hpp"
#include "prove/sat/solve/time_limit.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Do bounds that need no clauses leave no schedule (too_few_steps)?
bool refuted_by_bounds(const Question& question, const SolverLimits& limits) {
  try {
    const auto copies = copy_question(question);
    return copies && too_few_steps(*copies, limit_checker(limits));
  } catch (const LimitsReached&) {
  }
  return false;
}

/// A total exchange on a torus whose steps are translations of a few, looked for for some time,
/// also where the formula of all steps would be too large.
std::optional<Construction> by_translations(const Question& question, const SearchOptions& options,
                                            std::chrono::seconds time) {
  if (!options.constructions || question.problem.collective != Collective::alltoall) return {};
  const auto rows = rank_rows(question.machine, question.problem.ranks);
  if (!rows || !rows->torus || refuted_by_bounds(question, options.limits)) return {};
  const PreparedQuestion prepared(question);
  Decision found =
      search_translated(prepared, *options.solvers.front(), within_time(options.limits, time));
  if (found.answer != Answer::sat) return {};
  return Construction{std::move(found.construction), std::move(found.schedule), question.steps};
}

/// Schedules of fewer chunks, repeated or at once, before a solver gets a large formula.
std::optional<Construction> sum_of_parts(const Question& question, const SearchOptions& options) {
  const double large = question.rounds ? 1'000 : 50'000;  // possible transfers
  if (!options.constructions || !options.parts || possible_transfers(question) < large) return {};
  if (refuted_by_bounds(question, options.limits)) return {};
  try {
    return from_fewer_chunks(question, options);
  } catch (const InstanceTooLarge&) {  // even with fewer chunks
    return std::nullopt;
  }
}

/// The least steps, from those of the question on, that bounds leave.
std::uint64_t least_by_bounds(Question question, const SolverLimits& limits) {
  while (refuted_by_bounds(question, limits)) ++question.steps;
  return question.steps;
}

/// Steps below `end` that bounds refute, the most but where bounds miss some; 0 if there are none.
std::uint64_t most_by_bounds(Question question, std::uint64_t end, const SolverLimits& limits) {
  std::uint64_t refuted = 0;
  for (question.steps = end - 1; refuted + 1 < end; question.steps = std::midpoint(refuted, end)) {
    (refuted_by_bounds(question, limits) ? refuted : end) = question.steps;
  }
  return refuted;
}

/// The search of least_steps(): the least number of steps rises, and the most falls, until they
/// meet.
class StepSearch {
 public:
  StepSearch(const Question& question, const SearchOptions& options,
             std::optional<std::uint64_t> bound, const std::optional<Construction>& known)
      : question_(question),
        options_(options),
        known_(known),
        search_(question, options, result_.tried),
        counted_(counted_bound(question).steps.value_or(0)),
        open_(options.constructions) {
    result_.counted = bound.has_value();
    result_.least = bound.value_or(0);
  }

  Interval run() {
    if (unreachable(question_)) {
      throw InputError(fmt::format("on machine '{}' some chunks have no path to their destinations",
                                   question_.machine.spec()));
    }
    refute_far();
    for (double seconds = 10; !result_.decided() && !search_.over();) {
      if (result_.most) seconds = std::max(seconds, share_of_time());
      result_.none = question_.rounds && result_.least > *question_.rounds;
      if (result_.none) break;
      if (open_ && result_.least >= counted_) {
        construct();
      } else if (decide(result_.least, seconds) == Answer::unknown) {
        construct();
        decide_more(seconds);
        seconds *= 2;
      }
    }
    result_.exhausted = search_.exhausted();
    return std::move(result_);
  }

 private:
  /// If chunks must go very far, or many steps are too few by counting, smaller numbers of steps
  /// are refuted together: feasibility is monotone.
  void refute_far() {
    constexpr std::uint64_t very_far = 1000;
    if (const auto far = farthest(question_); far > very_far && far > result_.least)
      decide(far - 1, 10);
    if (counted_ <= very_far || counted_ <= result_.least || question_.rounds) return;
    const std::uint64_t most = most_by_bounds(question_, counted_, options_.limits);
    if (most > result_.least) decide(most, 10);
  }

  /// Where some schedule is known, what is left to be known is whether the least number is enough:
  /// the seconds that a question of it takes at most.
  double share_of_time() const {
    constexpr double share = 2.0 / 3;
    if (!options_.limits.deadline) return 0;
    const std::chrono::duration<double> left =
        *options_.limits.deadline - SolverLimits::Clock::now();
    return share * left.count();
  }

  Answer decide(std::uint64_t steps, double seconds) {
    const Decision decision = search_.decide_steps_and_rounds(steps, question_.rounds, seconds);
    if (decision.answer == Answer::sat) found(steps, decision);
    if (decision.answer == Answer::unsat && steps >= result_.least) {
      result_.least = steps + 1;
      result_.counted = false;
    }
    return decision.answer;
  }

  /// The least number is not decided within its share of time: larger ones are, until a schedule is
  /// found.
  void decide_more(double seconds) {
    for (std::uint64_t more = 1; !search_.over(); more *= 2) {
      const std::uint64_t steps = (Saturating(result_.least) + more).value();
      if ((result_.most && steps >= *result_.most) ||
          (question_.rounds && steps > *question_.rounds) || decide(steps, seconds) == Answer::sat)
        break;
    }
  }

  /// Looks for a schedule without a solver, once; none has fewer steps than the bound by counting.
  void construct() {
    if (!std::exchange(open_, false)) return;
    Question asked = question_;
    asked.steps = std::max(result_.least, counted_);
    const auto is_open = [&] { return !result_.most || *result_.most > asked.steps; };
    std::uint64_t steps = asked.steps;
    const Decision decision = search_.construct(steps, known_);
    if (decision.answer == Answer::sat) found(steps, decision);
    if (question_.rounds) return;
    if (is_open()) asked.steps = least_by_bounds(asked, options_.limits);
    const auto start = SolverLimits::Clock::now();
    if (is_open()) record(by_translations(asked, options_, std::chrono::seconds(10)), start);
    if (is_open()) record(sum_of_parts(asked, options_), start);
    if (is_open()) construct_longer(asked);
    const bool bounded = result_.most && *result_.most / 2 <= asked.steps;
    if (!bounded) record(soon_found(asked, options_.limits), start);
  }

  /// Tries exchanges with a few steps more, each for a short time, for an upper bound.
  void construct_longer(Question asked) {
    const std::uint64_t least = asked.steps;
    const auto start = SolverLimits::Clock::now();
    for (std::uint64_t more = 1; more <= least; more *= 2) {
      asked.steps = (Saturating(least) + more).value();
      if (result_.most && *result_.most <= asked.steps) break;
      const auto found = by_translations(asked, options_, std::chrono::seconds(2));
      record(found, start);
      if (found) break;
    }
  }

  void record(const std::optional<Construction>& made, SolverLimits::Clock::time_point start) {
    if (made) found(made->steps, search_.record_known(*made, std::nullopt, seconds_since(start)));
  }

  void found(std::uint64_t steps, const Decision& decision) {
    if (result_.most && steps >= *result_.most) return;
    result_.most = steps;
    result_.schedule = decision.schedule;
  }

  const Question& question_;
  const SearchOptions& options_;
  const std::optional<Construction>& known_;
  Interval result_;
  QuestionSearch search_;
  std::uint64_t counted_;  ///< a lower bound that needs no solver
  bool open_;              ///< a schedule without a solver has still to be looked for
};

}  // namespace

std::optional<LowerBound> bound_to_assume(const Question& question) {
  LowerBound bound = counted_bound(question);
  if (bound.steps.value_or(0) == 0) return std::nullopt;
  return bound;
}

Decision decide_steps(const Question& question, const SearchOptions& options) {
  constexpr std::uint64_t few = 16;  // up to this number all are decided
  const auto start = SolverLimits::Clock::now();
  const auto decided = [&](std::uint64_t steps, const SolverLimits& limits,
                           const CertificateOptions& certificate) {
    Question with_steps = question;
    with_steps.steps = steps;
    Decision decision = decide(with_steps, options.solvers, limits, {}, certificate);
    decision.seconds = seconds_since(start);
    return decision;
  };
  if (options.constructions && counted_bound(question).steps.value_or(0) <= question.steps) {
    std::uint64_t steps = 0;
    Decision decision = constructed(question, options.limits, steps, std::nullopt);
    if (decision.answer == Answer::sat && steps <= question.steps) return decision;
    auto found = by_translations(question, options, std::chrono::seconds(10));
    if (!found) found = sum_of_parts(question, options);
    if (found) {
      decision.answer = Answer::sat;
      decision.schedule = std::move(found->schedule);
      decision.construction = std::move(found->name);
      decision.seconds = seconds_since(start);
      return decision;
    }
  }
  const std::uint64_t nearest = std::max(farthest(question), few);
  for (std::uint64_t steps = nearest; steps < question.steps / 2; steps *= 2) {
    try {
      Decision decision = decided(steps, within_time(options.limits, std::chrono::seconds(2)), {});
      if (decision.answer == Answer::sat) return decision;
      if (decision.exhausted || options.limits.reached()) break;
    } catch (const InstanceTooLarge&) {
      break;
    }
  }
  return decided(question.steps, options.limits, options.certificate(question));
}

Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound, const std::optional<Construction>& known) {
  return StepSearch(question, options, bound, known).run();
}

}  // namespace schedcc::prover
