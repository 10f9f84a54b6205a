#include "prover/decide.hpp"

#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "ir/counted.hpp"
#include "prover/beside.hpp"
#include "prover/certificate.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// While a solver works for longer than a moment: is there not even a fraction of a schedule? That
/// is asked beside it; if there is none the solver is stopped.
class Aside {
 public:
  Aside(const Encoding& encoding, const Limits& limits)
      : encoding_(encoding),
        limits_(limits),
        then_(Limits::Clock::now() + std::chrono::milliseconds(100)) {}

  /// The limits of the solver.
  Limits limits() {
    return {limits_.deadline, &stop_, [this] { tick(); }};
  }
  /// Stops asking. Returns the query that refuted the question; empty if none did.
  const std::string& end() {
    work_.end();
    return refuted_;
  }

 private:
  void tick() {
    if (limits_.tick) limits_.tick();
    if (limits_.reached()) stop_ = true;
    if (work_.started() || !encoding_.relaxation || !has_z3()) return;
    if (Limits::Clock::now() < then_) return;
    work_.start([this](const std::atomic<bool>& over) { ask(over); });
  }
  void ask(const std::atomic<bool>& over) {
    try {
      const auto query = encoding_.relaxation([&over] {
        if (over) throw Stopped{};
      });
      if (!query || ask_z3(*query, "QF_LRA", {std::nullopt, &over}) != Answer::unsat) return;
      refuted_ = *query;
      stop_ = true;
    } catch (const Stopped&) {
    }
  }

  const Encoding& encoding_;
  const Limits& limits_;
  Limits::Clock::time_point then_;
  std::atomic<bool> stop_ = false;  ///< for the solver
  std::string refuted_;
  Beside work_;  ///< last: it uses the others
};

/// One solver's answer to a question that is encoded; for an unsat, with what refutes it.
Answer ask(const Question& question, const Encoding& encoding, const SolverEntry& solver,
           const Limits& limits, Certificate& certificate, Model& model) {
  const bool prove = certificate.wanted() && solver.writes_proofs;
  Aside aside(encoding, limits);
  const Answer answer = solver.solve(encoding.formula, aside.limits(), model,
                                     prove ? certificate.proof() : std::string());
  if (answer == Answer::unsat && prove) certificate.keep_proof();
  const std::string& refuted = aside.end();
  if (answer != Answer::unknown || refuted.empty()) return answer;
  if (certificate.wanted()) certificate.keep_relaxation(question, refuted);
  return Answer::unsat;
}

/// Asks all solvers about a question that is encoded.
Decision decide(const Question& question, const Encoding& encoding,
                const std::vector<const SolverEntry*>& solvers, const Limits& limits,
                const CertificateOptions& options) {
  Decision decision;
  bool undecided = false;
  Certificate certificate(options.path);
  if (certificate.wanted() && options.announce) options.announce(text_size(encoding.formula));
  for (const SolverEntry* solver : solvers) {
    Model model;
    const Answer answer = ask(question, encoding, *solver, limits, certificate, model);
    if (answer == Answer::unknown) {
      undecided = true;
      continue;
    }
    if (decision.answer != Answer::unknown && decision.answer != answer) {
      throw InternalError(
          fmt::format("the solvers contradict each other ({})", describe(question)));
    }
    decision.answer = answer;
    if (answer != Answer::sat) continue;
    decision.schedule = encoding.schedule(model);
    accept(question, decision.schedule);
  }
  if (decision.answer == Answer::unsat && certificate.wanted()) {
    certificate.keep_formula(question, encoding.formula);
  }
  // A schedule that has passed the checker needs nobody to confirm it.
  if (undecided && decision.answer == Answer::unsat) decision.answer = Answer::unknown;
  return decision;
}

}  // namespace

Machine with_width(const Machine& machine, Rank ranks) {
  if (machine.width != 0 || (!machine.ports && !machine.logp) || machine.channels) return machine;
  return make_machine(
      machine.spec + (machine.spec.find(':') == std::string::npos ? ":" : ",") + "width=1", ranks);
}

std::string describe(const Question& question) {
  return fmt::format("{}{} on {}{}{}: {}{}", schedcc::describe(question.problem),
                     question.problem.ordered ? ", ordered" : "", question.machine.spec,
                     question.waiting ? "" : " without waiting",
                     question.eager > 0 ? fmt::format(", {} buffered", question.eager) : "",
                     counted(question.steps, question.machine.logp ? "cycle" : "step"),
                     question.rounds ? ", " + counted(*question.rounds, "round") : "");
}

std::string smtlib(const Question& question, const Hints& hints) {
  return smtlib(encode(question, hints).formula, heading(question, ";"));
}

Source source(const Question& question, std::shared_ptr<const Schedule> schedule) {
  const Network* network = question.machine.network.get();
  Source result = from_schedule(question.problem, std::move(schedule),
                                network != nullptr && question.waiting ? network->nodes() : 0);
  result.machine = question.machine.spec;
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
        "the schedule that was found does not pass the checker ({}): {}", describe(question),
        report.findings.empty() ? "a check is undecided" : report.findings.front().message));
  }
  if (report.steps > question.steps || (question.rounds && rounds > *question.rounds)) {
    throw InternalError(fmt::format("the schedule that was found takes {} steps and {} rounds ({})",
                                    report.steps, rounds, describe(question)));
  }
}

Decision decide(const Question& question, const std::vector<const SolverEntry*>& solvers,
                const Limits& limits, const Hints& hints, const CertificateOptions& certificate) {
  const auto start = Limits::Clock::now();
  Decision decision;
  try {
    decision =
        decide(question, encode(question, hints, watch(limits)), solvers, limits, certificate);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    decision.exhausted = true;
  } catch (const std::length_error&) {
    decision.exhausted = true;
  }
  decision.seconds = std::chrono::duration<double>(Limits::Clock::now() - start).count();
  return decision;
}

}  // namespace schedcc::prover
