// The search for an answer to a question, by its options.

#include "schedcc/prove.hpp"
#include "prove/sat/outcome.hpp"

#include <utility>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/search.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

Outcome decide_one(const Question& question, const SearchOptions& search) {
  Outcome outcome;
  if (search.before) search.before(question);
  const Decision decision = decide_steps(question, search);
  outcome.tried.push_back(tried(question, decision));
  if (search.after) search.after(outcome.tried.back());
  outcome.schedule = decision.schedule;
  outcome.conclusion = decision.answer == Answer::sat     ? Conclusion::exists
                       : decision.answer == Answer::unsat ? Conclusion::impossible
                                                          : Conclusion::unknown;
  outcome.least = decision.answer == Answer::unsat ? question.steps + 1 : 0;
  if (decision.answer == Answer::sat) outcome.steps = question.steps;
  return outcome;
}

Outcome find_least(const Question& question, const SearchOptions& search, bool assume_bound) {
  std::optional<LowerBound> bound;
  if (assume_bound) bound = bound_to_assume(question);
  Interval interval = least_steps(question, search, bound ? bound->steps : std::nullopt);
  Outcome outcome;
  outcome.conclusion = interval.none        ? Conclusion::impossible
                       : interval.decided() ? Conclusion::optimal
                                            : Conclusion::unknown;
  outcome.steps = interval.most;
  outcome.least = interval.least;
  if (interval.counted) outcome.assumed = std::move(bound);
  outcome.tried = std::move(interval.tried);
  outcome.schedule = std::move(interval.schedule);
  return outcome;
}

Outcome find_frontier(const Question& question, const SearchOptions& search, bool assume_bound) {
  Outcome outcome;
  outcome.frontier = frontier(question, search, assume_bound);
  outcome.conclusion = outcome.frontier->complete() ? Conclusion::optimal : Conclusion::unknown;
  outcome.tried = outcome.frontier->tried;
  return outcome;
}

Outcome run(const Question& question, const SearchOptions& search, const ProofOptions& options) {
  if (options.aim == Aim::exists) return decide_one(question, search);
  if (const auto way = unreachable(question)) {
    Outcome outcome;
    outcome.conclusion = Conclusion::impossible;
    outcome.unreachable = way;
    return outcome;
  }
  return options.aim == Aim::frontier ? find_frontier(question, search, options.assume_bound)
                                      : find_least(question, search, options.assume_bound);
}

}  // namespace

Question normalized(Question question) {
  question.machine = with_width(question.machine, question.problem);
  make_instance(question);  // throws
  return question;
}

Outcome prove(const Question& asked_for, const ProofOptions& options) {
  Question question = asked_for;
  question.machine = with_width(question.machine, question.problem);
  const SearchOptions search{chosen_solvers(options.solver),
                             options.limits,
                             options.certificates,
                             options.constructions,
                             options.before,
                             options.after,
                             options.announce};
  Outcome outcome = run(question, search, options);
  outcome.aim = options.aim;
  for (const SolverEntry* solver : search.solvers) outcome.solvers.push_back(solver->name);
  for (SearchResult& entry : outcome.tried) {
    if (entry.answer == Answer::unsat)
      entry.certificate = search.certificate(question_of(question, entry)).path;
  }
  return outcome;
}

Question question_of(const Question& question, const SearchResult& entry) {
  Question result = question;
  result.problem.chunks = static_cast<std::uint32_t>(entry.chunks);
  result.steps = entry.steps;
  result.rounds = entry.rounds;
  return result;
}

}  // namespace schedcc::prover
