// CaDiCaL: a SAT solver (conflict-driven clause learning, with preprocessing in between).

#ifdef SCHEDCC_CADICAL

#include <cadical.hpp>

#include <algorithm>
#include <functional>

#include "prover/beside.hpp"
#include "prover/solver.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Asks now and then whether to stop.
class Stop : public CaDiCaL::Terminator {
 public:
  explicit Stop(std::function<bool()> stop) : stop_(std::move(stop)) {}
  bool terminate() override { return stop_(); }

 private:
  std::function<bool()> stop_;
};

/// What CaDiCaL says of some clauses.
Answer ask(std::span<const Literal> clauses, int variables, const std::function<bool()>& stop,
           const std::string& proof, Model& model) {
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);
  if (!proof.empty()) {
    solver.set("binary", 0);
    if (!solver.trace_proof(proof.c_str())) throw InputError("cannot write " + proof);
  }
  Stop terminator(stop);
  solver.connect_terminator(&terminator);
  solver.reserve(variables);
  for (const Literal l : clauses) solver.add(l);
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

/// What breaks symmetries helps to refute, and is in the way of finding. So if it takes longer than
/// a moment the essential clauses are given to a second solver, and the first answer counts. (An
/// unsat of them is one of all clauses, but its proof need not be.)
Answer solve(const Formula& formula, const Limits& limits, Model& model, const std::string& proof) {
  const int variables = formula.variables();
  const bool choice = formula.essential().size() < formula.data().size();
  const auto then = Limits::Clock::now() + std::chrono::milliseconds(20);
  std::atomic<Answer> other = Answer::unknown;
  Model other_model;
  Beside race;
  const auto run = [&](const std::atomic<bool>& over) {
    const Answer answer = ask(
        formula.essential(), variables, [&over] { return over.load(); }, "", other_model);
    if (answer == Answer::sat || proof.empty()) other = answer;
  };
  const auto stop = [&] {
    if (limits.tick) limits.tick();
    if (choice && !race.started() && Limits::Clock::now() >= then) race.start(run);
    return other != Answer::unknown || limits.reached();
  };
  const Answer answer = ask(formula.data(), variables, stop, proof, model);
  race.end();
  if (answer != Answer::unknown || other == Answer::unknown) return answer;
  model = std::move(other_model);
  return other;
}

}  // namespace

extern const SolverEntry cadical_solver;
const SolverEntry cadical_solver{
    .name = "cadical",
    .summary = "CaDiCaL, a SAT solver; writes DRAT proofs",
    .solve = solve,
    .writes_proofs = true,
};

}  // namespace schedcc::prover

#endif
