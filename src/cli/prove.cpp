// schedcc prove: whether a schedule exists, and with how few steps.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "checker/bounds.hpp"
#include "cli/commands.hpp"
#include "cli/emission.hpp"
#include "cli/interrupts.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "prover/search.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

Question question(const Options& options) {
  if (!options.collective) throw UsageError("prove needs --collective");
  if (!options.ranks) throw UsageError("prove needs --ranks");
  if (*options.ranks > UINT32_MAX) {
    throw UsageError(
        fmt::format("--ranks: '{}' is not a whole number in 1..{}; more ranks are for "
                    "--all-chunks",
                    *options.ranks, UINT32_MAX));
  }
  Question result;
  Problem& problem = result.problem;
  problem.collective = find_collective(*options.collective);
  if (problem.collective == Collective::custom) {
    throw InputError("prove has no rules for custom collectives");
  }
  problem.ranks = static_cast<Rank>(*options.ranks);
  problem.root = static_cast<Rank>(options.root.value_or(0));
  problem.chunks = static_cast<std::uint32_t>(options.chunks.value_or(1));
  problem.ordered = options.ordered;
  problem.validate();
  if (options.root && !problem.rooted()) {
    throw UsageError(fmt::format("{} has no root", info(problem.collective).name));
  }
  result.machine =
      with_width(make_machine(options.machine.value_or("duplex"), problem.ranks), problem.ranks);
  if (options.rounds && !result.machine.topology) {
    throw UsageError(fmt::format("--rounds is for topologies; a step of machine '{}' has one",
                                 result.machine.spec));
  }
  if (options.no_wait && (!result.machine.network || options.rounds || options.pareto)) {
    throw UsageError(options.rounds || options.pareto
                         ? "--no-wait is for steps of one round; no --rounds or --pareto beside it"
                         : fmt::format("--no-wait is for machines with routers; '{}' has none",
                                       result.machine.spec));
  }
  result.waiting = !options.no_wait;
  result.steps = options.steps.value_or(0);
  result.rounds = options.rounds;
  check_rules(result);
  return result;
}

std::vector<const SolverEntry*> solvers(const Options& options) {
  if (prover::solvers().empty()) {
    throw InputError("schedcc was built without a solver; prove needs Z3 or CaDiCaL");
  }
  if (!options.solver) return {prover::solvers().front()};
  if (*options.solver != "both") return {&find_solver(*options.solver)};
  return {&find_solver("cadical"), &find_solver("z3")};
}

/// What is to be reported in the end.
struct Outcome {
  std::string verdict;
  std::optional<std::uint64_t> steps;
  std::uint64_t least = 0;
  bool counted = false;
  std::vector<Try> tried;
  std::shared_ptr<const Schedule> schedule;
  std::optional<Frontier> frontier;
};

Status status_of(const Outcome& outcome) {
  if (outcome.verdict == "unknown") return undecided;
  return outcome.verdict == "impossible" ? violated : ok;
}

Outcome decide_steps(const Question& question, const SearchOptions& search,
                     const Options& options) {
  Outcome outcome;
  if (search.before) search.before(question);
  const std::string certificate =
      options.certificate ? certificate_path(*options.certificate, question) : "";
  const Decision decision = decide(question, search.solvers, search.limits, {}, certificate);
  outcome.tried.push_back({question.steps, question.rounds, question.problem.chunks,
                           decision.answer, decision.seconds});
  if (search.after) search.after(outcome.tried.back());
  outcome.schedule = decision.schedule;
  outcome.verdict = decision.answer == Answer::sat     ? "exists"
                    : decision.answer == Answer::unsat ? "impossible"
                                                       : "unknown";
  outcome.least = decision.answer == Answer::unsat ? question.steps + 1 : 0;
  if (decision.answer == Answer::sat) outcome.steps = question.steps;
  return outcome;
}

Outcome find_least(const Question& question, const SearchOptions& search, bool assume_bound) {
  std::optional<std::uint64_t> bound;
  if (assume_bound) bound = lower_bound(question.problem, question.machine, 1).steps.value_or(1);
  Interval interval = least_steps(question, search, bound);
  Outcome outcome;
  outcome.verdict = interval.none ? "impossible" : interval.decided() ? "optimal" : "unknown";
  outcome.steps = interval.most;
  outcome.least = interval.least;
  outcome.counted = interval.counted;
  outcome.tried = std::move(interval.tried);
  outcome.schedule = std::move(interval.schedule);
  return outcome;
}

Outcome find_frontier(const Question& question, const SearchOptions& search) {
  Outcome outcome;
  outcome.frontier = frontier(question, search);
  outcome.verdict = outcome.frontier->complete ? "optimal" : "unknown";
  outcome.tried = outcome.frontier->tried;
  return outcome;
}

using Json = nlohmann::ordered_json;

Json json(const Try& entry) {
  Json result{{"steps", entry.steps}};
  if (entry.rounds) result["rounds"] = *entry.rounds;
  result["chunks"] = entry.chunks;
  result["result"] = name(entry.answer);
  result["seconds"] = entry.seconds;
  return result;
}

Json json(const Question& question, const Outcome& outcome,
          const std::vector<const SolverEntry*>& used) {
  const Problem& problem = question.problem;
  Json result{
      {"collective", problem.name()}, {"machine", question.machine.spec}, {"ranks", problem.ranks}};
  if (problem.rooted()) result["root"] = problem.root;
  result["chunks"] = problem.chunks;
  if (problem.ordered) result["ordered"] = true;
  if (question.rounds) result["rounds"] = *question.rounds;
  if (!question.waiting) result["waiting"] = false;
  result["solver"] = Json::array();
  for (const SolverEntry* solver : used) result["solver"].push_back(solver->name);
  result["verdict"] = outcome.verdict;
  if (outcome.frontier) {
    result["frontier"] = Json::array();
    for (const Optimum& optimum : outcome.frontier->optima) {
      Json entry{{"chunks", optimum.chunks}, {"steps", optimum.steps}};
      if (question.machine.topology) entry["rounds"] = optimum.rounds;
      result["frontier"].push_back(std::move(entry));
    }
  } else {
    result["steps"] = outcome.steps ? Json(*outcome.steps) : Json(nullptr);
    result["proved_lower_bound"] = outcome.least;
    result["lower_bound_by"] = outcome.counted ? "counting" : "solver";
  }
  result["tried"] = Json::array();
  for (const Try& entry : outcome.tried) result["tried"].push_back(json(entry));
  return result;
}

std::string text(const Try& entry, bool chunks) {
  const char* const what = entry.answer == Answer::sat     ? "exists"
                           : entry.answer == Answer::unsat ? "impossible"
                                                           : "undecided";
  return fmt::format(
      "{}T = {}{}: {} ({:.2f} s)\n", chunks ? fmt::format("K = {}, ", entry.chunks) : "",
      entry.steps, entry.rounds ? fmt::format(", R = {}", *entry.rounds) : "", what, entry.seconds);
}

/// The line with the verdict.
std::string text(const Question& question, const Outcome& outcome, const Options& options) {
  const std::string unit = question.machine.logp ? "cycle" : "step";
  std::string what = describe(question.problem);
  if (question.problem.ordered) what += ", ordered";
  what +=
      fmt::format(" on {}{}", question.machine.spec, question.waiting ? "" : " without waiting");
  if (question.rounds) what += " in " + counted(*question.rounds, "round");
  std::string known;
  if (outcome.frontier) {
    for (const Optimum& o : outcome.frontier->optima) {
      known += fmt::format("\n  {}: {}", counted(o.chunks, "chunk"), counted(o.steps, unit));
      if (question.machine.topology) known += ", " + counted(o.rounds, "round");
    }
  } else if (options.steps) {
    known = " " + counted(*options.steps, unit);
  } else if (outcome.verdict == "optimal") {
    known = " " + counted(*outcome.steps, unit);
  } else if (outcome.verdict == "unknown") {
    known = fmt::format(" at least {}{}", counted(outcome.least, unit),
                        outcome.steps ? fmt::format(", at most {}", *outcome.steps) : "");
  }
  if (outcome.counted) known += fmt::format(" (fewer than {} by counting)", outcome.least);
  return fmt::format("{}: {}{}{}\n", what, outcome.verdict, known.empty() ? "" : ":", known);
}

void write(Output& out, const Emission& emission, const Question& question, const Outcome& outcome,
           const Options& options) {
  EmitOptions emit_options{emission.parameters, question.machine, "schedcc prove", "schedule"};
  if (options.output && *options.output != "-") {
    emit_options.stem = std::filesystem::path(*options.output).stem().string();
  }
  emission.format->write(source(question, outcome.schedule), emit_options, out);
}

void check_usage(const Options& options) {
  if (!options.arguments.empty()) {
    throw UsageError(
        fmt::format("prove takes no argument, and '{}' is one; the problem is in "
                    "--collective, --ranks, ... (an algorithm: with --all-chunks)",
                    options.arguments.front()));
  }
  if (options.steps && options.assume_bound) {
    throw UsageError("--assume-bound is for finding the least number of steps, not for --steps");
  }
  if (options.pareto &&
      (options.steps || options.rounds || options.output || options.smt2 || options.assume_bound)) {
    throw UsageError(
        "--pareto goes through steps, rounds and chunks by itself; no --steps, --rounds, "
        "--assume-bound, --smt2 or -o beside it");
  }
  if (options.emit && !options.output) throw UsageError("--emit needs -o: where to write to");
}

void write_query(const std::string& path, const Question& question) {
  FileOutput file(path);
  file.write(smtlib(question));
  file.commit();
}

}  // namespace

Status prove(const Options& options) {
  if (options.all_chunks) return prove_all_chunks(options);
  check_usage(options);
  SearchOptions search;
  search.solvers = solvers(options);
  const Question asked = question(options);
  std::optional<Emission> output;
  std::unique_ptr<FileOutput> file;
  if (options.output) {
    output = emission(options);
    if (*options.output != "-") file = std::make_unique<FileOutput>(*options.output);
  }
  const Interrupts interrupts;  // after the file, which ends the program by itself
  if (options.certificate) {
    std::error_code error;
    std::filesystem::create_directories(*options.certificate, error);
    if (error) {
      throw OutputError(fmt::format("cannot make {}: {}", *options.certificate, error.message()));
    }
    search.certificates = *options.certificate;
  }
  if (options.smt2 && options.steps) write_query(*options.smt2, asked);

  search.limits.stop = &Interrupts::interrupted;
  if (options.timeout) {
    search.limits.deadline =
        Limits::Clock::now() + std::chrono::duration_cast<Limits::Clock::duration>(
                                   std::chrono::duration<double>(*options.timeout));
  }
  // The schedule has standard output for itself; so has the JSON.
  const bool to_stderr = options.output == "-";
  StandardOutput standard;
  const auto say = [&](const std::string& line) {
    if (to_stderr) return complain(line);
    standard.write(line);
  };
  std::unique_ptr<Progress> progress;
  search.before = [&](const Question& next) {
    progress = std::make_unique<Progress>(
        fmt::format("K = {}, T = {}", next.problem.chunks, next.steps), !options.quiet);
  };
  search.limits.tick = [&] {
    if (progress) progress->show(0, "done");
  };
  search.after = [&](const Try& entry) {
    progress.reset();
    if (!options.json && !options.quiet) say(text(entry, options.pareto));
  };

  const Outcome outcome = options.pareto  ? find_frontier(asked, search)
                          : options.steps ? decide_steps(asked, search, options)
                                          : find_least(asked, search, options.assume_bound);
  if (options.smt2 && !options.steps && !outcome.tried.empty()) {
    Question last = asked;
    last.steps = outcome.least > 0 ? outcome.least - 1 : 0;
    write_query(*options.smt2, last);
  }
  if (options.json) {
    standard.write(dump(json(asked, outcome, search.solvers)));
  } else if (!options.quiet || outcome.verdict == "unknown") {
    say(text(asked, outcome, options));
  }
  if (output && outcome.schedule) {
    write(file ? static_cast<Output&>(*file) : standard, *output, asked, outcome, options);
    if (file) file->commit();
  }
  return status_of(outcome);
}

}  // namespace schedcc::cli
