#pragma once

// Decides by solvers which schedules exist (docs/prover.md), and proves algorithms for every number
// of chunks (docs/symbolic-proofs.md).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc::prover {

/// The question whether a schedule with this number of steps exists.
struct Question {
  Problem problem;
  Machine machine;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> rounds = {};  ///< topologies: in total; none: one per step
  /// Machines with routers: packets may wait in them, and routers copy and combine. Otherwise a
  /// transfer is from rank to rank, and takes its route without waiting, as at endpoint level.
  bool waiting = true;
  /// LogP: messages per pair that are buffered; 0 (a send completes with its receive), or enough
  /// that no send waits.
  std::uint64_t eager = 0;
};

/// Satisfiable, unsatisfiable, or stopped before it was known.
enum class Answer : std::uint8_t { sat, unsat, unknown };
std::string_view name(Answer answer);

/// When to stop: at the deadline, when `stop` is set, or at a limit on memory. `poll` is called
/// from time to time while a solver works, perhaps from another thread.
struct SolverLimits {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline = std::nullopt;
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> poll = nullptr;
  /// Bytes that the process may have in memory; 0: no limit. It is not looked at all the time: some
  /// more may be in use.
  std::uint64_t memory = 0;
  /// The conflicts after which CaDiCaL gives up, unless a try with other settings answers first;
  /// other solvers do not.
  std::optional<int> conflicts = std::nullopt;

  /// Is more than that in use?
  bool out_of_memory() const;
  bool reached() const {
    return (stop != nullptr && *stop) || (deadline && Clock::now() >= *deadline);
  }
};

/// The solver that refuted a question, and its part of the certificate.
struct Refutation {
  std::string_view solver;  ///< a solver's name, or `fractions`
  bool has_proof = false;   ///< a DRAT proof
};

/// `Refutation::solver`: the relaxation, in which chunks may be sent in fractions, is infeasible.
constexpr std::string_view fractions = "fractions";

/// The basis of a certificate's formula, in ascending order of the trust that it needs.
enum class Basis : std::uint8_t {
  definition,   ///< the definition of a schedule alone
  reversed,     ///< the same, of the problem with time reversed
  counted,      ///< a definition, and clauses that follow from it by arguments that are in a file
  all_clauses,  ///< those of docs/prover.md, by the arguments there
};

/// A question, and its result.
struct SearchResult {
  std::uint64_t steps;
  std::optional<std::uint64_t> rounds;
  std::uint64_t chunks;
  Answer answer;
  double seconds;
  std::vector<Refutation> refuted;   ///< if unsat: by these solvers
  bool exhausted = false;            ///< undecided because out of memory, or at a limit
  std::string limit = {};            ///< the limit that was reached; empty: out of memory
  std::string construction = {};     ///< of a sat without a solver: the algorithm that has it
  Basis basis = Basis::all_clauses;  ///< of its certificate
  /// If unsat, and if certificates are requested: the path of its files, without an extension.
  std::string certificate = {};
};

/// A rank whose goal is a chunk, or a contribution to one, that no path leads to from the ranks
/// that start with it: no number of steps is enough.
struct Unreachable {
  Chunk chunk;
  std::vector<Rank> sources;  ///< the ranks that start with it; may be empty
  Rank goal;
  std::vector<Rank> reached;  ///< all nodes that can be reached from the sources, including these
};

/// One entry of a frontier: with these chunks, neither fewer steps with as many rounds nor as many
/// steps with fewer rounds are enough.
struct Optimum {
  std::uint64_t chunks, steps, rounds;
  std::shared_ptr<const Schedule> schedule;
  bool refuted = true;   ///< one step less and one round less: by the solver
  bool counted = false;  ///< one round less: by counting instead, and not by a solver
};

/// The known bounds on an entry that was not decided.
struct OpenEntry {
  std::uint64_t chunks;
  /// Topologies: the number of steps whose rounds were minimized. None: steps (topologies: rounds,
  /// for any number of steps) were minimized.
  std::optional<std::uint64_t> steps;
  std::uint64_t least;                ///< fewer are impossible
  std::optional<std::uint64_t> most;  ///< this number is enough
  bool counted = false;               ///< `least` is from counting, and no solver has raised it
};

/// The frontier for 1, 2, ... chunks up to those of the question: on topologies of steps and
/// rounds, on other machines of steps alone (and rounds are the same).
struct Frontier {
  std::vector<Optimum> optima;
  std::vector<OpenEntry> open;
  std::uint64_t untried = 0;  ///< no number of chunks >= this one was tried; 0: all were
  std::vector<SearchResult> tried;

  /// Were all entries decided?
  bool complete() const {
    return open.empty() && untried == 0 && std::ranges::all_of(optima, &Optimum::refuted);
  }
};

/// The aim of a search: the least number of steps, whether those of the question are enough, or the
/// frontier.
enum class Aim : std::uint8_t { least, exists, frontier };

/// What is searched for, by which solver, and within which limits.
struct ProofOptions {
  Aim aim = Aim::least;
  /// "cadical", "z3", or "both", which must agree; empty: the first that schedcc was built with.
  std::string solver = {};
  /// Aim::least and frontier: numbers of steps below the lower bound by counting are not tried.
  bool assume_bound = false;
  /// Are schedules of algorithms answers, where no solver has found one yet?
  bool constructions = true;
  SolverLimits limits = {};
  /// The existing folder for certificates of refutations; empty: none are written.
  std::string certificates = {};
  std::function<void(const Question&)> before = nullptr;  ///< called before a question is solved
  std::function<void(const SearchResult&)> after = nullptr;
  /// Called with the size of a certificate's formula, in bytes, before it is written; may throw to
  /// stop.
  std::function<void(std::uint64_t)> announce = nullptr;
};

/// Optimal: the least steps are known, or the whole frontier.
enum class Conclusion : std::uint8_t { optimal, exists, impossible, unknown };
std::string_view name(Conclusion conclusion);

/// The result of a search.
struct Outcome {
  Aim aim = Aim::least;
  Conclusion conclusion = Conclusion::unknown;
  std::optional<std::uint64_t> steps;  ///< of the schedule
  std::uint64_t least = 0;             ///< fewer steps are impossible
  /// The bound by counting, if `least` was assumed instead of refuted.
  std::optional<LowerBound> assumed;
  std::optional<Unreachable> unreachable;  ///< why no number of steps is enough
  std::vector<SearchResult> tried;
  std::shared_ptr<const Schedule> schedule;  ///< passes every check
  std::optional<Frontier> frontier;
  std::vector<std::string_view> solvers;  ///< those that were used
};

/// The question that prove() solves: if the machine states no width, messages have width 1. Throws
/// InputError if the prover does not support it.
Question normalized(Question question);

/// Answers a question. Throws InputError for a question that the prover does not support, a solver
/// that is not available, and files that cannot be written.
Outcome prove(const Question& question, const ProofOptions& options = {});

/// A schedule that was found, as a source on the machine of the question.
Source source(const Question& question, std::shared_ptr<const Schedule> schedule);

/// The line, or lines, with the verdict.
std::string to_text(const Question& question, const Outcome& outcome);
/// The same as a JSON object.
std::string to_json(const Question& question, const Outcome& outcome);

/// An algorithm on some ranks: does its schedule hold for every number of chunks?
struct SymbolicQuestion {
  std::string algorithm;                      ///< with its parameters: "fractional-tree:r=3"
  std::uint64_t ranks;                        ///< for some algorithms beyond 2^32
  std::optional<std::uint64_t> root = {};     ///< none: rank 0, if the collective has a root
  std::optional<Collective> collective = {};  ///< none: the algorithm's first
  std::string machine = {};                   ///< empty: the first that it was made for
};

/// A transfer that violates a check, or is missing: of `rank`, in `step`.
struct Counterexample {
  std::string check;
  std::string what;  ///< "rank 3 receives two messages"
  std::uint64_t chunks, rank, step;
  /// The number of a packet; that of a block; the ranks that a block is from and for; or these and
  /// the number of a packet of that.
  std::vector<std::uint64_t> packet;
};

/// The verdict on one check of a symbolic schedule, and what it took: queries to Z3, seconds.
struct CheckProof {
  std::string check;
  Verdict verdict = Verdict::holds;
  std::uint64_t queries = 0;
  double seconds = 0;
};

/// The verdict on a symbolic schedule: that of its checks, of which those after the first that does
/// not hold are left out. `cases` are the classes of ranks.
struct SymbolicProof {
  std::string schedule, machine;  ///< as specifications
  Collective collective = Collective::broadcast;
  std::uint64_t ranks = 0;
  std::optional<std::uint64_t> root = {};  ///< none: the collective has none
  Verdict verdict = Verdict::holds;
  std::string steps = {};  ///< as a formula in K: "K + 40"; empty: it was not computed in time
  std::vector<CheckProof> checks;
  std::uint64_t queries = 0, cases = 0;
  double seconds = 0;
  std::optional<Counterexample> counterexample;
  /// The numbers in Counterexample::packet: "packet"; "block"; "from" and "to", perhaps "packet".
  std::vector<std::string_view> packet_names = {};
};

/// A query to the solver.
struct SymbolicQuery {
  std::string check;
  std::string what;                      ///< the event to be refuted: "receives two messages"
  std::uint64_t rank_class;              ///< counted from 1
  std::optional<std::uint64_t> example;  ///< a rank of that class; none: all ranks are in it
  const std::string& text;               ///< in SMT-LIB
  Answer answer;
};

/// Limits of a symbolic proof, and what is called on the way.
struct SymbolicOptions {
  SolverLimits limits = {};
  double effort = 2e6;  ///< the most transfers to be tried for a counterexample in the table
  /// Called with each query, when it has been answered.
  std::function<void(const SymbolicQuery&)> query = nullptr;
};

/// Proves that shape, ports (links), causality, delivery, redundancy and the number of steps hold
/// for all K >= 1. Throws InputError if there are no formulas for the algorithm, or none for the
/// question, and without Z3.
SymbolicProof prove_all_chunks(const SymbolicQuestion& question,
                               const SymbolicOptions& options = {});

/// The checks, a line each, the counterexample, if there is one, and a line with the verdict.
std::string to_text(const SymbolicProof& proof);
/// The same as a JSON object, as docs/prove.schema.json describes it, and a newline.
std::string to_json(const SymbolicProof& proof);

}  // namespace schedcc::prover

#pragma GCC visibility pop
