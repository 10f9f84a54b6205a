// CaDiCaL: a SAT solver (conflict-driven clause learning, with preprocessing in between).

#ifdef SCHEDCC_CADICAL

#include <cadical.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "prove/sat/solve/background_task.hpp"
#include "prove/sat/solve/memory_limit.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Polls whether to stop.
class Stop : public CaDiCaL::Terminator {
 public:
  explicit Stop(std::function<bool()> stop) : stop_(std::move(stop)) {}
  bool terminate() override { return stop_(); }

 private:
  std::function<bool()> stop_;
};

/// Creating and destroying a solver changes global state: one at a time.
std::mutex making;

struct SolverDeleter {
  void operator()(CaDiCaL::Solver* solver) const {
    const std::lock_guard lock(making);
    delete solver;
  }
};

std::unique_ptr<CaDiCaL::Solver, SolverDeleter> make_solver(const std::string& proof) {
  const std::lock_guard lock(making);
  auto solver = std::make_unique<CaDiCaL::Solver>();
  solver->set("quiet", 1);
  if (!proof.empty()) solver->set("binary", 0);
  return std::unique_ptr<CaDiCaL::Solver, SolverDeleter>(solver.release());
}

/// The random choices of solvers that race: CaDiCaL's own, and others.
constexpr int usual_seed = 0, other_seed = 4;

/// CaDiCaL's answer for some of a formula's clauses under the assumptions `literals`.
Answer run_cadical(const Formula& formula, std::span<const Literal> clauses,
                   std::span<const Literal> literals, const std::function<bool()>& stop,
                   const std::string& proof, Model& model, std::optional<int> conflicts = {},
                   int seed = usual_seed) {
  const int variables = formula.variables();
  const auto made = make_solver(proof);
  CaDiCaL::Solver& solver = *made;
  if (formula.expects_model()) solver.configure("sat");
  solver.set("seed", seed);
  if (!proof.empty() && !solver.trace_proof(proof.c_str())) {
    throw InputError("cannot write " + proof);
  }
  Stop terminator(stop);
  solver.connect_terminator(&terminator);
  solver.reserve(variables);
  if (conflicts) solver.limit("conflicts", *conflicts);
  std::uint64_t loaded = 0;
  for (const Literal l : clauses) {
    solver.add(l);
    if (++loaded % 65536 == 0 && stop()) return Answer::unknown;
  }
  for (const Literal l : literals) {
    solver.add(l);
    solver.add(0);
  }
  const int status = solver.solve();
  solver.disconnect_terminator();
  if (!proof.empty()) solver.close_proof_trace();
  if (status == 20) return Answer::unsat;
  if (status != 10) return Answer::unknown;
  model.assign(static_cast<std::size_t>(variables) + 1, false);
  for (int v = 1; v <= std::min(variables, solver.vars()); ++v) {
    model[static_cast<std::size_t>(v)] = solver.val(v) > 0;
  }
  return Answer::sat;
}

/// Solvers that run on the same formula in parallel; the first answer wins.
class SolverRace {
 public:
  SolverRace(const Formula& formula, const SolverLimits& limits, bool proof)
      : formula_(formula), limits_(limits), proof_(proof) {}

  bool started() const { return started_; }
  bool running() const {
    return competitors_[0].thread.started() || competitors_[1].thread.started();
  }
  bool won() const { return winner_ >= 0; }
  void start() {
    started_ = true;
    if (!has_room(limits_, formula_, competitors_.size())) return;
    const bool choice = formula_.essential().size() < formula_.data().size();
    // Unsat of the essential clauses implies unsat of all, but its proof may differ.
    if (choice) run(0, {}, !proof_);
    const std::span<const Literal> guesses = formula_.guesses();
    if (!guesses.empty() || formula_.needs_luck()) {
      run(1, guesses, false, formula_.needs_luck() ? other_seed : usual_seed);
    }
  }
  /// Stops those that have not won, and frees their memory.
  void give_up() {
    for (Competitor& competitor : competitors_) competitor.thread.end();
  }
  /// The winner's answer; unknown if there is none.
  Answer end(Model& model) {
    give_up();
    if (!won()) return Answer::unknown;
    Competitor& winner = competitors_[static_cast<std::size_t>(winner_)];
    model = std::move(winner.model);
    return winner.answer;
  }

 private:
  struct Competitor {
    Answer answer = Answer::unknown;
    Model model;
    BackgroundTask thread;
  };

  /// On the essential clauses, with some literals true; `refutes`: its unsat counts.
  void run(int number, std::span<const Literal> literals, bool refutes, int seed = usual_seed) {
    Competitor& competitor = competitors_[static_cast<std::size_t>(number)];
    competitor.thread.start(
        [this, number, literals, refutes, seed, &competitor](const std::atomic<bool>& over) {
          competitor.answer = run_cadical(
              formula_, formula_.essential(), literals,
              [&] { return over || won() || limits_.reached(); }, "", competitor.model, {}, seed);
          int none = -1;
          if (competitor.answer == Answer::sat || (competitor.answer == Answer::unsat && refutes)) {
            winner_.compare_exchange_strong(none, number);
          }
        });
  }

  const Formula& formula_;
  const SolverLimits& limits_;
  bool proof_, started_ = false;
  std::atomic<int> winner_ = -1;
  std::array<Competitor, 2> competitors_;  ///< last: their threads use the others
};

/// Symmetry breaking helps to refute and hinders finding a model; guesses the opposite. So if
/// solving takes longer than a short time, three solvers race: with all clauses, with the essential
/// ones, and with those and the guesses, or, where luck decides, other random choices. If memory is
/// short only the first continues.
Answer solve(const Formula& formula, const SolverLimits& limits, Model& model,
             const std::string& proof) {
  const auto then = SolverLimits::Clock::now() + std::chrono::milliseconds(20);
  SolverRace race(formula, limits, !proof.empty());
  bool exhausted = false;
  const auto stop = [&] {
    if (limits.poll) limits.poll();
    if (race.won() || limits.reached()) return true;
    if (limits.out_of_memory()) {
      exhausted = !race.running();
      race.give_up();
      release_memory();
    } else if (!race.started() && SolverLimits::Clock::now() >= then) {
      race.start();
    }
    return exhausted;
  };
  const Answer answer =
      run_cadical(formula, formula.data(), {}, stop, proof, model, limits.conflicts);
  if (answer != Answer::unknown) return answer;
  const Answer other = race.end(model);
  if (other == Answer::unknown && exhausted) throw MemoryReached(limits);
  return other;
}

}  // namespace

extern const SolverEntry cadical_solver;
const SolverEntry cadical_solver{
    .name = "cadical",
    .summary = "CaDiCaL, a SAT solver; writes DRAT proofs",
    .solve = solve,
    .writes_proofs = true,
    .version = [] { return std::string(CaDiCaL::Solver::version()); },
};

}  // namespace schedcc::prover

#endif
