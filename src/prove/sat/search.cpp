#include "prove/sat/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "core/elapsed.hpp"
#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/fewer_chunks.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/question_search.hpp"
#include "prove/sat/searches.hpp"
#include "prove/sat/solve/time_limit.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Schedules of fewer chunks, repeated or at once, before a solver gets a large formula.
std::optional<Construction> sum_of_parts(const Question& question, const SearchOptions& options) {
  const double large = question.rounds ? 1'000 : 50'000;  // possible transfers
  if (!options.constructions || !options.parts || possible_transfers(question) < large) return {};
  try {
    return from_fewer_chunks(question, options);
  } catch (const InstanceTooLarge&) {  // even with fewer chunks
    return std::nullopt;
  }
}

/// Do prices leave no schedule (CopyQuestion::prices)?
bool priced_out(const Question& question, const SolverLimits& limits) {
  try {
    const auto copies = copy_question(question);
    return copies && copies->prices(limit_checker(limits));
  } catch (const InstanceTooLarge&) {
  } catch (const LimitsReached&) {
  }
  return false;
}

/// The least steps, from those of the question on, that prices leave.
std::uint64_t least_by_prices(Question question, const SolverLimits& limits) {
  while (priced_out(question, limits)) ++question.steps;
  return question.steps;
}

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
  const bool open = counted_bound(question).steps.value_or(0) <= question.steps &&
                    !priced_out(question, options.limits);
  if (options.constructions && open) {
    std::uint64_t steps = 0;
    Decision decision = constructed(question, options.limits, steps, std::nullopt);
    if (decision.answer == Answer::sat && steps <= question.steps) return decision;
    if (auto parts = sum_of_parts(question, options)) {
      decision.answer = Answer::sat;
      decision.schedule = std::move(parts->schedule);
      decision.construction = std::move(parts->name);
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
  Interval result;
  result.counted = bound.has_value();
  result.least = bound.value_or(0);
  QuestionSearch search(question, options, result.tried);
  const auto found = [&](std::uint64_t steps, const Decision& decision) {
    if (result.most && steps >= *result.most) return;
    result.most = steps;
    result.schedule = decision.schedule;
  };
  const std::uint64_t counted = counted_bound(question).steps.value_or(0);
  // Looks for a schedule without a solver, once; none has fewer steps than the bound by counting.
  bool open = options.constructions;
  const auto construct = [&] {
    if (!std::exchange(open, false)) return;
    const std::uint64_t least = std::max(result.least, counted);
    std::uint64_t steps = least;
    const Decision decision = search.construct(steps, known);
    if (decision.answer == Answer::sat) found(steps, decision);
    if (question.rounds) return;
    Question asked = question;
    asked.steps = least;
    if (!result.most || *result.most > least) asked.steps = least_by_prices(asked, options.limits);
    const auto start = SolverLimits::Clock::now();
    const auto record = [&](const std::optional<Construction>& made) {
      if (made) found(made->steps, search.record_known(*made, std::nullopt, seconds_since(start)));
    };
    if (!result.most || *result.most > least) record(sum_of_parts(asked, options));
    const bool bounded = result.most && *result.most / 2 <= least;
    if (!bounded) record(soon_found(asked, options.limits));
  };
  const auto try_steps = [&](std::uint64_t steps, double seconds) {
    const Decision decision = search.decide_steps_and_rounds(steps, question.rounds, seconds);
    if (decision.answer == Answer::sat) found(steps, decision);
    if (decision.answer == Answer::unsat && steps >= result.least) {
      result.least = steps + 1;
      result.counted = false;
    }
    return decision.answer;
  };
  if (unreachable(question)) {
    throw InputError(fmt::format("on machine '{}' some chunks have no path to their destinations",
                                 question.machine.spec()));
  }
  // If chunks must go very far, smaller numbers of steps are refuted together: feasibility is
  // monotone.
  constexpr std::uint64_t very_far = 1000;
  if (const std::uint64_t least = farthest(question); least > very_far && least > result.least) {
    try_steps(least - 1, 10);
  }
  for (double seconds = 10; !result.decided() && !search.over();) {
    result.none = question.rounds && result.least > *question.rounds;
    if (result.none) break;
    if (open && result.least >= counted) {
      construct();
      continue;
    }
    if (try_steps(result.least, seconds) != Answer::unknown) continue;
    construct();
    // Not decided within its share of time: try larger numbers.
    for (std::uint64_t more = 1; !search.over(); more *= 2) {
      const std::uint64_t steps = (Saturating(result.least) + more).value();
      if ((result.most && steps >= *result.most) || (question.rounds && steps > *question.rounds)) {
        break;
      }
      if (try_steps(steps, seconds) == Answer::sat) break;
    }
    seconds *= 2;
  }
  result.exhausted = search.exhausted();
  return result;
}

}  // namespace schedcc::prover
