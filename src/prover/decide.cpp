#include "prover/decide.hpp"

#include <fmt/format.h>

#include "ir/counted.hpp"
#include "prover/certificate.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// While a solver works for longer than a second: is there not even a fraction of a schedule? If so
/// the solver is stopped.
class Aside {
 public:
  Aside(const Encoding& encoding, const Limits& limits)
      : encoding_(encoding),
        limits_(limits),
        then_(Limits::Clock::now() + std::chrono::seconds(1)) {}

  /// The limits of the solver.
  Limits limits() {
    Limits result{limits_.deadline, &stop_, [this] { tick(); }};
    return result;
  }
  /// The query that refuted the question; empty if none did.
  const std::string& refuted() const { return refuted_; }

 private:
  void tick() {
    if (limits_.tick) limits_.tick();
    if (limits_.reached()) stop_ = true;
    if (tried_ || Limits::Clock::now() < then_) return;
    tried_ = true;
    const auto query = encoding_.relaxation ? encoding_.relaxation() : std::nullopt;
    if (!query || !has_z3()) return;
    Limits limits = limits_;
    const auto most = Limits::Clock::now() + std::chrono::seconds(20);
    limits.deadline = limits.deadline ? std::min(*limits.deadline, most) : most;
    if (ask_z3(*query, "QF_LRA", limits) != Answer::unsat) return;
    refuted_ = *query;
    stop_ = true;
  }

  const Encoding& encoding_;
  const Limits& limits_;
  Limits::Clock::time_point then_;
  bool tried_ = false;
  std::atomic<bool> stop_ = false;
  std::string refuted_;
};

/// One solver's answer to a question that is encoded; for an unsat, with what refutes it.
Answer ask(const Question& question, const Encoding& encoding, const SolverEntry& solver,
           const Limits& limits, Certificate& certificate, Model& model) {
  const bool prove = certificate.wanted() && solver.writes_proofs;
  Aside aside(encoding, limits);
  const Answer answer = solver.solve(encoding.formula, aside.limits(), model,
                                     prove ? certificate.proof() : std::string());
  if (answer == Answer::unsat && prove) certificate.keep_proof();
  if (answer != Answer::unknown || aside.refuted().empty()) return answer;
  if (certificate.wanted()) certificate.keep_relaxation(question, aside.refuted());
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
  return fmt::format("{}{} on {}{}: {}{}", schedcc::describe(question.problem),
                     question.problem.ordered ? ", ordered" : "", question.machine.spec,
                     question.waiting ? "" : " without waiting",
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
  // A send of LogP is over after o cycles, whether or not its receiver is ready.
  if (question.machine.logp) options.eager = UINT64_MAX;
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
  }
  decision.seconds = std::chrono::duration<double>(Limits::Clock::now() - start).count();
  return decision;
}

}  // namespace schedcc::prover
