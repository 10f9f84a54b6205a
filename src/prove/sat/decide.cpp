#include "prove/sat/decide.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "analysis/bounds.hpp"
#include "core/counted.hpp"
#include "core/elapsed.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/background_task.hpp"
#include "prove/sat/memory_limit.hpp"
#include "prove/sat/question_limits.hpp"
#include "prove/sat/searches.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Runs the relaxation in a second thread if a solver takes longer than a short time; if the
/// relaxation is infeasible, the solver is stopped.
class RelaxationTask {
 public:
  RelaxationTask(const Encoding& encoding, const SolverLimits& limits, bool enabled)
      : encoding_(encoding),
        limits_(limits),
        enabled_(enabled && encoding.relaxation && has_z3()),
        then_(SolverLimits::Clock::now() + std::chrono::milliseconds(100)) {}

  /// The limits of the solver.
  SolverLimits limits() {
    return {limits_.deadline, &stop_, [this] { poll(); }, limits_.memory};
  }
  /// Stops the relaxation. Returns the query that refuted the question; empty if none did.
  const std::string& end() {
    work_.end();
    return refuted_;
  }

 private:
  void poll() {
    if (limits_.poll) limits_.poll();
    if (limits_.reached()) stop_ = true;
    if (work_.started() && limits_.out_of_memory()) {  // the first to give up memory
      work_.end();
      release_memory();
      enabled_ = false;
    }
    if (work_.started() || !enabled_) return;
    if (SolverLimits::Clock::now() < then_) return;
    work_.start([this](const std::atomic<bool>& over) { run_relaxation(over); });
  }
  void run_relaxation(const std::atomic<bool>& over) {
    try {
      const auto query = encoding_.relaxation([&over] {
        if (over) throw LimitsReached{};
      });
      if (!query || solve_with_z3(*query, "QF_LRA", {std::nullopt, &over}) != Answer::unsat) return;
      refuted_ = *query;
      stop_ = true;
    } catch (const LimitsReached&) {
    }
  }

  const Encoding& encoding_;
  const SolverLimits& limits_;
  bool enabled_;
  SolverLimits::Clock::time_point then_;
  std::atomic<bool> stop_ = false;  ///< for the solver
  std::string refuted_;
  BackgroundTask work_;  ///< last: it uses the others
};

/// Runs all solvers on an encoded question.
class SolverPortfolio {
 public:
  SolverPortfolio(const Question& question, const Encoding& encoding, const SolverLimits& limits,
                  const CertificateOptions& options)
      : question_(question), encoding_(encoding), limits_(limits), certificate_(options.path) {
    if (certificate_.wanted() && options.announce) options.announce(text_size(encoding.formula));
  }

  Decision decide(const std::vector<const SolverEntry*>& solvers) {
    bool undecided = false;
    for (const SolverEntry* solver : solvers) {
      Model model;
      const Answer answer = run_solver(*solver, solvers.size() == 1, model);
      if (answer == Answer::unknown) {
        undecided = true;
        continue;
      }
      if (decision_.answer != Answer::unknown && decision_.answer != answer) {
        throw InternalError(
            fmt::format("the solvers contradict each other ({})", describe(question_)));
      }
      decision_.answer = answer;
      if (answer != Answer::sat) continue;
      decision_.schedule = encoding_.schedule(model);
      accept(question_, decision_.schedule);
    }
    // A schedule that has passed the checker needs no confirmation.
    if (undecided && decision_.answer == Answer::unsat) {
      decision_.answer = Answer::unknown;
      decision_.refuted.clear();
    }
    if (decision_.answer == Answer::unsat && certificate_.wanted()) certify(solvers);
    return std::move(decision_);
  }

 private:
  /// Keeps a refutation of the definition, or of the definition with as few additions as can be
  /// refuted quickly.
  void certify(const std::vector<const SolverEntry*>& solvers) {
    const auto proves = std::ranges::find(solvers, true, &SolverEntry::writes_proofs);
    const SolverEntry& solver = proves == solvers.end() ? *solvers.front() : **proves;
    const auto time_limit = std::chrono::seconds(4) + 5 * (SolverLimits::Clock::now() - start_);
    for (const Attempt& attempt : attempts(question_)) {
      if (!relaxed_.empty() || limits_.reached()) break;
      SolverLimits limits = limits_;
      const auto then = SolverLimits::Clock::now() + time_limit;
      limits.deadline = std::min(limits_.deadline.value_or(then), then);
      try {
        if (refutes(solver, attempt, limits)) return;
      } catch (const LimitsReached&) {
      } catch (const MemoryReached&) {
      } catch (const std::bad_alloc&) {
      } catch (const std::length_error&) {
      }
    }
    certificate_.keep(question_, encoding_, Basis::all_clauses, relaxed_);
  }
  /// Cross-check: a question refuted with additions must have no model without them.
  bool refutes(const SolverEntry& solver, const Attempt& attempt, const SolverLimits& limits) {
    const Encoding encoding = encode(question_, attempt.hints, limit_checker(limits));
    if (text_size(encoding.formula) > std::max(text_size(encoding_.formula), large_text)) {
      return false;
    }
    Model model;
    const std::string proof = solver.writes_proofs ? certificate_.better_proof() : "";
    const Answer answer = solver.solve(encoding.formula, limits, model, proof);
    if (answer == Answer::sat) {
      throw InternalError(fmt::format(
          "the added clauses exclude a problem that has a schedule ({})", describe(question_)));
    }
    if (answer == Answer::unknown) return false;
    if (solver.writes_proofs) certificate_.use_better_proof();
    decision_.basis = attempt.basis;
    certificate_.keep(question_, encoding, attempt.basis, "");
    return true;
  }
  /// One solver's answer; for unsat, its refutation is recorded.
  Answer run_solver(const SolverEntry& solver, bool alone, Model& model) {
    const bool prove = certificate_.wanted() && solver.writes_proofs;
    RelaxationTask relaxation(encoding_, limits_, alone);
    const Answer answer = solver.solve(encoding_.formula, relaxation.limits(), model,
                                       prove ? certificate_.proof() : std::string());
    relaxed_ = relaxation.end();
    if (answer != Answer::unknown) relaxed_.clear();
    if (answer == Answer::unsat) decision_.refuted.push_back({solver.name, prove});
    if (prove && answer != Answer::unsat) certificate_.no_proof();
    if (relaxed_.empty()) return answer;
    decision_.refuted.push_back({fractions});
    return Answer::unsat;
  }

  const Question& question_;
  const Encoding& encoding_;
  const SolverLimits& limits_;
  SolverLimits::Clock::time_point start_ = SolverLimits::Clock::now();
  Certificate certificate_;
  std::string relaxed_;  ///< the query of the relaxation, if that refuted the question
  Decision decision_;
};

}  // namespace

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

namespace {

/// What a guess leads to: a schedule, if one is found.
struct Guess {
  Decision decision;
  std::size_t pairings = 0;  ///< that were found, and guessed to preserve a schedule
};

/// Looks for a schedule that the hints, which are not sound, allow.
Guess guess(const Question& question, const SolverEntry& solver, const SolverLimits& limits,
            const Hints& hints) {
  Guess result;
  try {
    const Encoding encoding = encode(question, hints, limit_checker(limits));
    if (hints.pairings > 0 && encoding.pairings == 0) return {};
    require_room(limits, encoding.formula);
    Decision decision = SolverPortfolio(question, encoding, limits, {}).decide({&solver});
    if (decision.answer == Answer::sat) result.decision = std::move(decision);
    result.pairings = encoding.pairings;
  } catch (const LimitsReached&) {
  } catch (const MemoryReached&) {
  } catch (const std::length_error&) {
  }
  return result;
}

/// The limits, and at most `time`, or half of the time that is left if that is more.
SolverLimits within(SolverLimits limits, std::chrono::seconds time) {
  const auto now = SolverLimits::Clock::now(), then = now + time;
  const auto half = now + (limits.deadline.value_or(now) - now) / 2;
  limits.deadline = std::min(limits.deadline.value_or(then), std::max(then, half));
  return limits;
}

/// Looks for a pipeline: exchanges (on meshes first), messages in rows and columns, any messages.
Decision decide_by_pipeline(const Question& question, const SolverEntry& solver,
                            const SolverLimits& limits) {
  using Messages = PipelineLines::Messages;
  std::vector<std::pair<Hints, std::chrono::seconds>> kinds;
  const auto rows = rank_rows(question.machine, question.problem.ranks);
  const bool mesh = rows && rows->grid && !rows->torus;
  if (mesh) kinds.emplace_back(Hints{.exchanges = true}, 20);
  if (rows && rows->rows > 1 && rows->columns > 1) {
    const auto first = static_cast<std::uint64_t>(std::bit_width(rows->columns - 1));
    kinds.emplace_back(Hints{.pipeline = {{Messages::rows_then_columns, rows->columns, first}}}, 3);
    kinds.emplace_back(Hints{.pipeline = {{Messages::rows_or_columns, rows->columns}}}, 7);
  }
  if (!mesh) kinds.emplace_back(Hints{.exchanges = true}, 10);
  kinds.emplace_back(Hints{.pipeline = PipelineLines{}}, 10);
  for (const auto& [hints, time] : kinds) {
    Guess found = guess(question, solver, within(limits, time), hints);
    if (found.decision.answer == Answer::sat) return std::move(found.decision);
  }
  return {};
}

/// The effort of a short search packet by packet.
constexpr std::uint64_t soon = 100'000;
/// That of a long one.
constexpr std::uint64_t long_search = 2'000'000;

/// Looks for a schedule on a machine with ports: packet by packet, soon or, if there is no pipeline
/// either, for some seconds.
Decision decide_by_packets(const Question& question, const SolverEntry& solver,
                           const SolverLimits& limits) {
  Decision found = search_packets(question, limits, soon);
  if (single_goals_only(question)) return found;
  if (found.answer != Answer::sat) {
    found = search_windows(question, solver, within(limits, std::chrono::seconds(20)));
  }
  if (found.answer != Answer::sat) found = decide_by_pipeline(question, solver, limits);
  if (found.answer != Answer::sat) {
    found = search_packets(question, within(limits, std::chrono::seconds(5)), long_search);
  }
  return found;
}

/// Decides a question that a solver would take long for, and that counting leaves open, by a
/// schedule of some kind, if one is found soon. If its formula would be large, that may be one in
/// which chunks take shortest paths only; first one that pairings preserve, as many as there are,
/// then fewer. The formulas for these are small.
Decision decide_by_guesses(const Question& question, const SolverEntry& solver,
                           const SolverLimits& limits) {
  constexpr double some = 1'000, many = 4'000, large = 100'000;  // possible transfers
  const double possible = possible_transfers(question);
  if (possible < some) return {};
  if (counted_bound(question).steps.value_or(0) > question.steps) return {};
  if (question.machine.ports()) {
    if (refuted_by_prices(question, limits)) return {};
    Decision found = possible < many ? search_packets(question, limits, soon)
                                     : decide_by_packets(question, solver, limits);
    if (found.answer == Answer::sat) return found;
  }
  if (possible < large) return {};
  Hints hints;
  hints.straight = true;
  hints.order = hints.relax = hints.guess = false;
  Hints paired = hints;
  paired.counts = false;  // of no help here
  const SolverLimits limited = within(limits, std::chrono::seconds(10));
  for (std::size_t most = SIZE_MAX; most > 0;) {
    paired.pairings = most;
    Guess found = guess(question, solver, limited, paired);
    if (found.decision.answer == Answer::sat) return std::move(found.decision);
    most = std::max<std::size_t>(found.pairings, 1) - 1;
  }
  if (question.machine.ports() && single_goals_only(question)) {
    Decision found =
        search_packets(question, within(limits, std::chrono::seconds(10)), long_search);
    if (found.answer == Answer::sat) return found;
  }
  return guess(question, solver, within(limits, std::chrono::seconds(5)), hints).decision;
}

}  // namespace

Decision decide(const Question& question, const std::vector<const SolverEntry*>& solvers,
                const SolverLimits& limits, const Hints& hints,
                const CertificateOptions& certificate) {
  const auto start = SolverLimits::Clock::now();
  Decision decision;
  try {
    if (hints.guess) decision = decide_by_guesses(question, *solvers.front(), limits);
    if (decision.answer != Answer::sat) {
      const Encoding encoding = encode(question, hints, limit_checker(limits));
      require_room(limits, encoding.formula);
      decision = SolverPortfolio(question, encoding, limits, certificate).decide(solvers);
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
