// Z3: as one of the solvers, on the same clauses, by its engine for finite domains, which is a SAT
// solver; and for queries in SMT-LIB, by the engine for their logic.

#ifdef SCHEDCC_Z3

#include <z3++.h>

#include <fmt/core.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "prove/sat/solve/memory_limit.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Interrupts a context when the limits are reached, while it exists.
class InterruptTimer {
 public:
  InterruptTimer(z3::context& context, const SolverLimits& limits)
      : thread_([this, &context, &limits] { run(context, limits); }) {}
  ~InterruptTimer() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  /// Has it interrupted the context because of memory?
  bool exhausted() const { return exhausted_; }
  InterruptTimer(const InterruptTimer&) = delete;
  InterruptTimer& operator=(const InterruptTimer&) = delete;

 private:
  void run(z3::context& context, const SolverLimits& limits) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, 20ms, [this] { return done_; })) {
      try {
        if (limits.poll) limits.poll();
      } catch (const std::bad_alloc&) {  // progress is not shown
      }
      if (limits.out_of_memory()) exhausted_ = true;
      if (limits.reached() || exhausted_) context.interrupt();
    }
  }

  std::atomic<bool> exhausted_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  ///< last: it uses the others
};

/// Did it run out of memory?
bool memory(std::string_view why) {
  return why.find("memory") != std::string_view::npos ||
         why.find("memout") != std::string_view::npos;
}

/// Runs `work`; throws bad_alloc if Z3, or its timer thread, is out of memory.
template <typename Work>
Answer guarded(const Work& work) {
  try {
    return work();
  } catch (const z3::exception& error) {
    if (memory(error.msg())) throw std::bad_alloc();
    throw InternalError(fmt::format("Z3: {}", error.msg()));
  } catch (const std::system_error&) {
    throw std::bad_alloc();
  }
}

/// The answer of a solver with all assertions.
Answer check(z3::context& context, z3::solver& solver, const SolverLimits& limits) {
  solver.set("ctrl_c", false);  // signals are for the command line
  if (limits.reached()) return Answer::unknown;
  const InterruptTimer timer(context, limits);
  try {
    const z3::check_result result = solver.check();
    if (result == z3::sat) return Answer::sat;
    if (result == z3::unsat) return Answer::unsat;
    if (memory(solver.reason_unknown())) throw std::bad_alloc();
  } catch (const z3::exception& error) {  // interrupted
    if (memory(error.msg())) throw;
  }
  if (timer.exhausted()) throw MemoryReached(limits);
  return Answer::unknown;
}

Answer run_z3(const Formula& formula, const SolverLimits& limits, Model& model) {
  z3::context context;
  z3::solver solver(context, "QF_FD");
  z3::expr_vector variables(context);
  variables.push_back(context.bool_val(false));
  for (int v = 1; v <= formula.variables(); ++v) {
    variables.push_back(context.constant(context.int_symbol(v), context.bool_sort()));
  }
  const auto literal = [&](Literal l) { return l > 0 ? variables[l] : !variables[-l]; };
  z3::expr_vector clause(context);
  for (const Literal l : formula.data()) {
    if (l != 0) {
      clause.push_back(literal(l));
      continue;
    }
    if (limits.reached()) return Answer::unknown;  // a large formula takes seconds
    if (limits.out_of_memory()) throw MemoryReached(limits);
    solver.add(z3::mk_or(clause));
    clause.resize(0);
  }
  const Answer answer = check(context, solver, limits);
  if (answer != Answer::sat) return answer;
  const z3::model values = solver.get_model();
  model.assign(static_cast<std::size_t>(formula.variables()) + 1, false);
  for (int v = 1; v <= formula.variables(); ++v) {
    model[static_cast<std::size_t>(v)] = values.eval(variables[v], true).is_true();
  }
  return Answer::sat;
}

Answer solve_by_z3(const Formula& formula, const SolverLimits& limits, Model& model,
                   const std::string&) {
  return guarded([&] { return run_z3(formula, limits, model); });
}

Answer run_z3(const std::string& smtlib, const std::string& logic, const SolverLimits& limits,
              std::map<std::string, std::string>* model) {
  z3::context context;
  z3::solver solver = logic.empty() ? z3::solver(context) : z3::solver(context, logic.c_str());
  // Simplex by rows: on flows of chunks up to five hundred times as fast as by columns.
  if (logic == "QF_LRA") solver.set("smt.arith.simplex_strategy", 1U);
  solver.from_string(smtlib.c_str());
  const Answer answer = check(context, solver, limits);
  if (answer != Answer::sat || model == nullptr) return answer;
  const z3::model values = solver.get_model();
  for (unsigned i = 0; i < values.num_consts(); ++i) {
    const z3::func_decl constant = values.get_const_decl(i);
    const z3::expr value = values.get_const_interp(constant);
    if (std::string text; value.is_numeral(text)) (*model)[constant.name().str()] = text;
  }
  return answer;
}

}  // namespace

Answer solve_with_z3(const std::string& smtlib, const std::string& logic,
                     const SolverLimits& limits, std::map<std::string, std::string>* model) {
  return guarded([&] { return run_z3(smtlib, logic, limits, model); });
}

extern const SolverEntry z3_solver;
const SolverEntry z3_solver{
    .name = "z3",
    .summary = "Z3, on the same clauses",
    .solve = solve_by_z3,
    .writes_proofs = false,
    .version =
        [] {
          unsigned major = 0, minor = 0, build = 0, revision = 0;
          Z3_get_version(&major, &minor, &build, &revision);
          return fmt::format("{}.{}.{}", major, minor, build);
        },
};

}  // namespace schedcc::prover

#endif
