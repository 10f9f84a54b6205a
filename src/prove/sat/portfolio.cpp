#include "prove/sat/portfolio.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "prove/sat/certificate.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/solve/background_task.hpp"
#include "prove/sat/solve/memory_limit.hpp"
#include "prove/sat/solve/time_limit.hpp"
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
    SolverLimits result = limits_;
    result.stop = &stop_;
    result.poll = [this] { poll(); };
    return result;
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
  SolverPortfolio(const PreparedQuestion& prepared, const Encoding& encoding,
                  const SolverLimits& limits, const CertificateOptions& options)
      : prepared_(prepared),
        question_(prepared.question),
        encoding_(encoding),
        limits_(limits),
        certificate_(options.path) {
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
      try {
        if (refutes(solver, attempt, within_time(limits_, time_limit))) return;
      } catch (const InstanceTooLarge&) {
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
    const Encoding encoding = encode(prepared_, attempt.hints, limit_checker(limits));
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

  const PreparedQuestion& prepared_;
  const Question& question_;
  const Encoding& encoding_;
  const SolverLimits& limits_;
  SolverLimits::Clock::time_point start_ = SolverLimits::Clock::now();
  Certificate certificate_;
  std::string relaxed_;  ///< the query of the relaxation, if that refuted the question
  Decision decision_;
};

}  // namespace

Decision solve(const PreparedQuestion& prepared, const Encoding& encoding,
               const std::vector<const SolverEntry*>& solvers, const SolverLimits& limits,
               const CertificateOptions& certificate) {
  return SolverPortfolio(prepared, encoding, limits, certificate).decide(solvers);
}

}  // namespace schedcc::prover
