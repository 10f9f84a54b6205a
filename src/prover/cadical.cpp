// CaDiCaL: a SAT solver (conflict-driven clause learning, with preprocessing in between).

#ifdef SCHEDCC_CADICAL

#include <cadical.hpp>

#include "prover/solver.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

class Stop : public CaDiCaL::Terminator {
 public:
  explicit Stop(const Limits& limits) : limits_(limits) {}
  bool terminate() override {
    if (limits_.tick) limits_.tick();
    return limits_.reached();
  }

 private:
  const Limits& limits_;
};

Answer solve(const Formula& formula, const Limits& limits, Model& model, const std::string& proof) {
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);
  if (!proof.empty()) {
    solver.set("binary", 0);
    if (!solver.trace_proof(proof.c_str())) throw InputError("cannot write " + proof);
  }
  Stop stop(limits);
  solver.connect_terminator(&stop);
  solver.reserve(formula.variables());
  for (const Literal l : formula.data()) solver.add(l);
  const int status = solver.solve();
  solver.disconnect_terminator();
  if (!proof.empty()) solver.close_proof_trace();
  if (status == 20) return Answer::unsat;
  if (status != 10) return Answer::unknown;
  model.assign(static_cast<std::size_t>(formula.variables()) + 1, false);
  for (int v = 1; v <= formula.variables(); ++v) {
    model[static_cast<std::size_t>(v)] = solver.val(v) > 0;
  }
  return Answer::sat;
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
