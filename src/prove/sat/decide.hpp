#pragma once

// One question, decided: by one solver, or by several that must agree.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/certificate.hpp"
#include "prove/sat/encoding.hpp"
#include "prove/sat/solver.hpp"
#include "schedcc/source.hpp"

namespace schedcc::prover {

struct Decision {
  Answer answer = Answer::unknown;
  bool exhausted = false;  ///< unknown for want of memory, or at a limit
  std::string limit = {};  ///< the limit that was reached; empty: the memory
  double seconds = 0;
  std::vector<Refutation> refuted;           ///< of an unsat: by whom
  Basis basis = Basis::argued;               ///< of its certificate, if one was wanted
  std::shared_ptr<const Schedule> schedule;  ///< of a sat; it has passed the checker
};

/// The machine with the width that `prove` takes where none is given: 1.
Machine with_width(const Machine& machine);

/// Throws InternalError unless the schedule passes every check, within the question's steps and
/// rounds.
void accept(const Question& question, const std::shared_ptr<const Schedule>& schedule);

/// What is to be left of an unsat.
struct CertificateOptions {
  std::string path;  ///< of its files, without an extension; empty: none are wanted
  /// Is told, before a solver is asked, how many bytes the formula will take.
  std::function<void(std::uint64_t)> announce = nullptr;
};

/// Asks all of `solvers`, one after the other. Unknown if none finds a schedule and one of them
/// does not know; InternalError if they contradict each other, or if a schedule does not pass.
/// Fractions are asked beside a solver that is alone: where there are several, each has to refute
/// the clauses.
/// `certificate`: where to leave the formula and the proof of an unsat: of the definition alone, if
/// that can be refuted within a few times the time that the answer took.
Decision decide(const Question& question, const std::vector<const SolverEntry*>& solvers,
                const Limits& limits, const Hints& hints = {},
                const CertificateOptions& certificate = {});

/// The query in SMT-LIB.
std::string smtlib(const Question& question, const Hints& hints = {});

/// "broadcast, 8 ranks, root 0, 3 chunks on duplex:width=1": what goes for all numbers of steps.
std::string subject(const Question& question);

/// "broadcast, 8 ranks, root 0, 3 chunks on duplex:width=1: 4 steps, 7 rounds".
std::string describe(const Question& question);

}  // namespace schedcc::prover
