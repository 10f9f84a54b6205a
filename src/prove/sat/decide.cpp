#include "prove/sat/decide.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "analysis/bounds.hpp"
#include "core/counted.hpp"
#include "core/elapsed.hpp"
#include "prove/sat/guesses.hpp"
#include "prove/sat/portfolio.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/solve/memory_limit.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

Machine with_width(const Machine& machine, const Problem& problem) {
  if (machine.width() != 0 || (!machine.ports() && !machine.timing())) return machine;
  return machine.with_width(problem.tokens() ? static_cast<std::uint32_t>(problem.total_chunks())
                                             : 1);
}

std::string subject(const Question& question) {
  return fmt::format("{}{} on {}{}{}", schedcc::describe(question.problem),
                     question.problem.ordered ? ", ordered" : "", question.machine.spec(),
                     !question.waiting          ? " without waiting"
                     : hop_level_only(question) ? " at hop level"
                                                : "",
                     question.eager > 0 ? fmt::format(", {} buffered", question.eager) : "");
}

std::string describe(const Question& question) {
  return fmt::format("{}: {}{}", subject(question),
                     counted(question.steps, question.machine.step_unit()),
                     question.rounds ? ", " + counted(*question.rounds, "round") : "");
}

LowerBound counted_bound(const Question& question) {
  const Machine& machine = question.machine;
  return lower_bound(question.problem, machine, std::max<std::uint64_t>(machine.width(), 1),
                     question.rounds.value_or(1));
}

std::string smtlib(const Question& question, const Hints& hints) {
  return smtlib(encode(question, hints).formula, heading(question, ";"));
}

Source source(const Question& question, std::shared_ptr<const Schedule> schedule) {
  const Network* network = question.machine.network();
  // Without routers a hop is a route: the schedule is at endpoint level as well.
  const bool hops =
      network != nullptr && question.waiting && network->nodes() > question.problem.ranks;
  Source result = from_schedule(question.problem, std::move(schedule), hops ? network->nodes() : 0);
  result.machine = question.machine.spec();
  result.name = result.title = "found by prove";
  return result;
}

void accept(const Question& question, const std::shared_ptr<const Schedule>& schedule) {
  CheckOptions options;
  options.eager = question.eager;
  const Report report = check(source(question, schedule), question.machine, options);
  std::uint64_t rounds = 0;
  for (std::uint64_t row = 0; row < schedule->size(); ++row) rounds += (*schedule)[row].rounds;
  if (report.verdict() != Verdict::holds) {
    throw InternalError(fmt::format(
        "the schedule found does not pass the checker ({}): {}", describe(question),
        report.findings.empty() ? "a check is undecided" : report.findings.front().message));
  }
  if (report.steps > question.steps || (question.rounds && rounds > *question.rounds)) {
    throw InternalError(fmt::format("the schedule found takes {} steps and {} rounds ({})",
                                    report.steps, rounds, describe(question)));
  }
}

Decision decide(const Question& question, const std::vector<const SolverEntry*>& solvers,
                const SolverLimits& limits, const Hints& hints,
                const CertificateOptions& certificate) {
  const auto start = SolverLimits::Clock::now();
  Decision decision;
  try {
    const PreparedQuestion prepared(question);
    if (hints.guess) decision = decide_by_guesses(prepared, *solvers.front(), limits);
    if (decision.answer != Answer::sat) {
      const Encoding encoding = encode(prepared, hints, limit_checker(limits));
      require_room(limits, encoding.formula);
      decision = solve(prepared, encoding, solvers, limits, certificate);
    }
  } catch (const LimitsReached&) {
  } catch (const FormulaTooLarge& error) {
    decision.exhausted = true;
    decision.limit = error.what();
  } catch (const MemoryReached& error) {
    decision.exhausted = true;
    decision.limit = error.what();
  } catch (const std::bad_alloc&) {
    decision.exhausted = true;
  } catch (const std::length_error&) {
    decision.exhausted = true;
  }
  if (decision.exhausted) release_memory();  // for what comes after
  decision.seconds = seconds_since(start);
  return decision;
}

}  // namespace schedcc::prover
