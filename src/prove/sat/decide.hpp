#pragma once

// One question, decided: by one solver, or by several that must agree.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/certificate.hpp"
#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/report.hpp"

namespace schedcc::prover {

struct Decision {
  Answer answer = Answer::unknown;
  bool exhausted = false;         ///< unknown because out of memory, or at a limit
  std::string limit = {};         ///< the limit that was reached; empty: out of memory
  std::string construction = {};  ///< of a sat without a solver: the algorithm
  double seconds = 0;
  std::vector<Refutation> refuted;           ///< if unsat: by these solvers
  Basis basis = Basis::all_clauses;          ///< of its certificate, if one was requested
  std::shared_ptr<const Schedule> schedule;  ///< of a sat; it has passed the checker
};

/// The machine with the default width of `prove`: 1, or any number of the tokens of a barrier.
Machine with_width(const Machine& machine, const Problem& problem);

/// Throws InternalError unless the schedule passes every check, within the question's steps and
/// rounds.
void accept(const Question& question, const std::shared_ptr<const Schedule>& schedule);

/// The lower bound on steps by counting, with its source: for messages of the machine's width, and
/// steps that may each have all the rounds of the question.
LowerBound counted_bound(const Question& question);

/// The certificate of an unsat.
struct CertificateOptions {
  std::string path;  ///< of its files, without an extension; empty: no certificate
  /// Called, before a solver runs, with the size of the formula in bytes.
  std::function<void(std::uint64_t)> announce = nullptr;
};

/// Runs all of `solvers`, one after another. Unknown if none finds a schedule and one of them does
/// not decide; InternalError if they contradict each other, or if a schedule fails the checks. The
/// relaxation runs only if there is a single solver: of several, each has to refute the clauses.
/// `certificate`: the files for the formula and the proof of an unsat: of the definition alone, if
/// that can be refuted within a few times the time that the answer took.
Decision decide(const Question& question, const std::vector<const SolverEntry*>& solvers,
                const SolverLimits& limits, const Hints& hints = {},
                const CertificateOptions& certificate = {});

/// The query in SMT-LIB.
std::string smtlib(const Question& question, const Hints& hints = {});

/// "broadcast, 8 ranks, root 0, 3 chunks on duplex:width=1": the part that is the same for all
/// numbers of steps.
std::string subject(const Question& question);

/// "broadcast, 8 ranks, root 0, 3 chunks on duplex:width=1: 4 steps, 7 rounds".
std::string describe(const Question& question);

}  // namespace schedcc::prover
