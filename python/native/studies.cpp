// Checks, explanations, costs, choices and proofs. Results are the library's own reports, as JSON
// and as text.

#include <memory>
#include <utility>

#include "bindings.hpp"

namespace schedcc::python {

namespace {

using Release = py::call_guard<py::gil_scoped_release>;
using OptionalText = std::optional<std::string>;
using OptionalNumber = std::optional<std::uint64_t>;

Blocking blocking_of(const std::string& name) {
  for (const auto& [word, blocking] :
       {std::pair("sendrecv", Blocking::sendrecv), std::pair("send-first", Blocking::send_first),
        std::pair("recv-first", Blocking::recv_first), std::pair("program", Blocking::program)}) {
    if (name == word) return blocking;
  }
  throw InputError("unknown blocking '" + name +
                   "'; there are sendrecv, send-first, recv-first, program");
}

/// Options of programs for schedules, and of schedules for programs.
void require_fitting(const CheckOptions& options, const Source& source) {
  const bool program = source.program != nullptr, plan = source.plan != nullptr;
  if (options.fifo && !program)
    throw InputError("fifo is for programs of MSCCL; with a machine their steps are checked");
  if (!program && !plan) return;
  if (options.max_buffer || options.eager != 0 || options.blocking != Blocking::sendrecv) {
    throw InputError(
        "max_buffer, blocking and eager are for schedules, and this is a program, whose "
        "threadblocks are checked; with a machine its steps are");
  }
}

Texts check_handle(const Handle& handle, const OptionalText& machine,
                   std::optional<std::vector<std::string>> names, bool strict, bool strict_format,
                   const std::string& blocking, std::uint64_t eager, OptionalNumber max_buffer,
                   OptionalNumber fifo, const Handle* same_as, std::uint64_t max_findings,
                   bool fail_fast) {
  CheckOptions options;
  if (names) require_checks(*names);
  options.checks = std::move(names);
  options.strict = strict;
  options.strict_format = strict_format;
  options.blocking = blocking_of(blocking);
  options.eager = eager;
  options.max_buffer = max_buffer;
  options.fifo = fifo;
  options.max_findings = max_findings;
  options.fail_fast = fail_fast;
  options.progress = on_progress;
  const OtherSchedule what = on_machine(handle, machine);
  require_fitting(options, what.source);
  if (same_as != nullptr)
    options.same_as = std::make_shared<const OtherSchedule>(on_machine(*same_as, machine));
  const Report report = check(what.source, what.machine, options);
  return {{to_json(report)}, {to_text(report)}};
}

Texts explain_handle(const Handle& handle, const OptionalText& machine, std::uint64_t rank,
                     std::uint64_t chunk, OptionalNumber step) {
  const auto small = [](std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
  };
  const OtherSchedule what = on_machine(handle, machine);
  const Explanation result = explain(what.source, what.machine, {small(rank), small(chunk), step});
  return {{to_json(result)}, {to_text(result)}};
}

Texts cost_handle(const Handle& handle, const OptionalText& machine, const std::string& model_text,
                  std::uint64_t bytes, bool critical_path) {
  const OtherSchedule what = on_machine(handle, machine);
  const CostModel model = make_cost_model(model_text);
  CostReport report = cost(what.source, what.machine, model, {bytes, critical_path, on_progress});
  if (!handle.spec.empty()) {
    report.formulas =
        time_formulas(algorithm_spec(handle.spec), what.source.problem, what.machine, model, bytes);
  }
  if (critical_path && !report.asynchronous) {
    throw InputError("there is no critical path: model '" + model.name + "' on machine '" +
                     what.machine.spec() + "' has no asynchronous clock");
  }
  return {{to_json(report)}, {to_text(report)}};
}

/// The algorithms that are named; none: all of the registry.
std::vector<Spec> candidates(const std::vector<std::string>& names) {
  std::vector<Spec> result;
  for (const std::string& name : names) result.push_back(algorithm_spec(name));
  if (!names.empty()) return result;
  for (const Algorithm* algorithm : algorithms())
    result.push_back({std::string(algorithm->name), {}});
  return result;
}

Texts tune_problem(const ProblemArguments& asked, const std::string& model,
                   const std::vector<std::uint64_t>& sizes, const std::vector<std::string>& names,
                   bool reproducible) {
  TuneRequest request;
  request.algorithms = candidates(names);
  request.problem =
      problem_of(asked, named_algorithm(request.algorithms.front())->collectives.front());
  if (request.problem.declared())
    throw InputError("a custom collective has one algorithm: there is nothing to compare");
  if (asked.chunks) request.chunks = request.problem.chunks;
  request.machine = asked.machine;
  request.reproducible = reproducible;
  request.model = make_cost_model(model);
  request.compositions = names.empty();
  request.progress = on_progress;
  TuneReport report;
  report.model = request.model;
  report.reproducible = reproducible;
  report.studies.push_back(tune(request, sizes, {}, answer_signals));
  return {{to_json(report)}, {to_text(report)}};
}

/// When a search begins that may last so many seconds; none: as long as it takes.
prover::SolverLimits limits(std::optional<double> timeout, const std::atomic<bool>& stop) {
  using prover::SolverLimits;
  SolverLimits result;
  result.stop = &stop;
  if (!timeout) return result;
  if (!(*timeout >= 0 && *timeout <= 1e9))
    throw InputError("the timeout is a number of seconds from 0 to 10^9");
  result.deadline =
      SolverLimits::Clock::now() + std::chrono::duration_cast<SolverLimits::Clock::duration>(
                                       std::chrono::duration<double>(*timeout));
  return result;
}

struct Search {
  OptionalNumber steps, rounds;
  std::optional<double> timeout;
  std::string solver;
  bool assume_bound, waiting;
  std::uint64_t eager;
};

prover::Question question_of(const Problem& problem, const Machine& machine, const Search& search) {
  if (search.rounds && !machine.has_rounds()) {
    throw InputError("rounds are for topologies; a step of machine '" + machine.spec() +
                     "' has one");
  }
  prover::Question result{problem, machine};
  result.steps = search.steps.value_or(0);
  result.rounds = search.rounds;
  result.waiting = search.waiting;
  result.eager = search.eager;
  return prover::normalized(std::move(result));
}

/// A report, and the schedules that were found, as sources.
struct ProofResult {
  Texts report;
  std::optional<Handle> schedule;
};

ProofResult prove_question(const prover::Question& question, const Search& search) {
  std::atomic<bool> stop = false;
  prover::ProofOptions options;
  options.aim = search.steps ? prover::Aim::exists : prover::Aim::least;
  options.solver = search.solver;
  options.assume_bound = search.assume_bound;
  options.limits = limits(search.timeout, stop);
  const prover::Outcome outcome =
      interruptible(stop, [&] { return prover::prove(question, options); });
  ProofResult result{{{to_json(question, outcome)}, {to_text(question, outcome)}}, {}};
  if (outcome.schedule) result.schedule = Handle{prover::source(question, outcome.schedule)};
  return result;
}

ProofResult prove_problem(const ProblemArguments& asked, const Search& search) {
  if (!asked.collective) throw InputError("missing collective, the problem to be solved");
  Problem problem = problem_of(asked, {});
  if (problem.declared())
    throw InputError("a custom collective is that of a schedule: schedule.prove()");
  if (asked.block_sizes) problem = with_block_sizes(problem, *asked.block_sizes);
  const Machine machine = make_machine(asked.machine.value_or("duplex"), problem.ranks);
  return prove_question(question_of(problem, machine, search), search);
}

ProofResult prove_handle(const Handle& handle, const OptionalText& machine, const Search& search) {
  const OtherSchedule what = on_machine(handle, machine);
  return prove_question(question_of(what.source.problem, what.machine, search), search);
}

Texts prove_all_chunks(const std::string& algorithm, const ProblemArguments& asked,
                       std::optional<double> timeout) {
  if (!asked.ranks) throw InputError("missing ranks, the number of ranks");
  prover::SymbolicQuestion question{.algorithm = algorithm,
                                    .ranks = *asked.ranks,
                                    .root = asked.root,
                                    .machine = asked.machine.value_or("")};
  if (asked.collective) question.collective = collective_of_user(*asked.collective);
  std::atomic<bool> stop = false;
  prover::SymbolicOptions options;
  options.limits = limits(timeout, stop);
  const prover::SymbolicProof proof =
      interruptible(stop, [&] { return prover::prove_all_chunks(question, options); });
  return {{to_json(proof)}, {to_text(proof)}};
}

void bind_proofs(py::module_& module) {
  py::class_<Search>(module, "Search")
      .def(py::init([](OptionalNumber steps, OptionalNumber rounds, std::optional<double> timeout,
                       std::string solver, bool assume_bound, bool waiting, std::uint64_t eager) {
             return Search{steps, rounds, timeout, std::move(solver), assume_bound, waiting, eager};
           }),
           py::kw_only(), py::arg("steps") = py::none(), py::arg("rounds") = py::none(),
           py::arg("timeout") = py::none(), py::arg("solver") = "", py::arg("assume_bound") = false,
           py::arg("waiting") = true, py::arg("eager") = 0);
  const auto pair = [](ProofResult proved) {
    return std::pair(std::move(proved.report), std::move(proved.schedule));
  };
  module.def(
      "prove_problem",
      [pair](const ProblemArguments& asked, const Search& search) {
        return pair(prove_problem(asked, search));
      },
      py::arg("asked"), py::arg("search"));
  module.def(
      "prove_handle",
      [pair](const Handle& handle, const OptionalText& machine, const Search& search) {
        return pair(prove_handle(handle, machine, search));
      },
      py::arg("handle"), py::arg("machine"), py::arg("search"));
  module.def("prove_all_chunks", &prove_all_chunks, py::arg("algorithm"), py::arg("asked"),
             py::arg("timeout"));
}

}  // namespace

void bind_studies(py::module_& module) {
  module.def("check", &check_handle, py::arg("handle"), py::arg("machine"), py::kw_only(),
             py::arg("checks") = py::none(), py::arg("strict") = false,
             py::arg("strict_format") = false, py::arg("blocking") = "sendrecv",
             py::arg("eager") = 0, py::arg("max_buffer") = py::none(), py::arg("fifo") = py::none(),
             py::arg("same_as") = py::none(), py::arg("max_findings") = 20,
             py::arg("fail_fast") = false, Release());
  module.def("explain", &explain_handle, py::arg("handle"), py::arg("machine"), py::arg("rank"),
             py::arg("chunk"), py::arg("step"), Release());
  module.def("cost", &cost_handle, py::arg("handle"), py::arg("machine"), py::arg("model"),
             py::arg("bytes"), py::arg("critical_path"), Release());
  module.def("tune", &tune_problem, py::arg("asked"), py::arg("model"), py::arg("sizes"),
             py::arg("algorithms"), py::arg("reproducible"), Release());
  module.def(
      "parse_bytes", [](const std::string& text) { return parse_bytes(text, "bytes"); },
      py::arg("text"));
  bind_proofs(module);
}

}  // namespace schedcc::python
