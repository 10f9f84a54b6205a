// schedcc prove: whether a schedule exists, and with how few steps.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/emission.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/prove_files.hpp"
#include "cli/prove_options.hpp"
#include "cli/prove_question.hpp"
#include "cli/prove_report.hpp"
#include "cli/signals.hpp"
#include "core/names.hpp"
#include "prove/sat/certificate.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

std::vector<const SolverEntry*> solvers(const ProveOptions& options) {
  if (prover::solvers().empty()) {
    throw InputError("schedcc was built without a solver; prove needs Z3 or CaDiCaL");
  }
  if (!options.solver) return {prover::solvers().front()};
  if (*options.solver == "both") return {&find_solver("cadical"), &find_solver("z3")};
  std::vector<std::string_view> names;
  for (const SolverEntry* solver : prover::solvers()) {
    if (solver->name == *options.solver) return {solver};
    names.push_back(solver->name);
  }
  if (names.size() > 1) names.emplace_back("both");
  throw InputError(unknown("solver", *options.solver, names));
}

Status status_of(const Outcome& outcome) {
  if (outcome.finding == Finding::unknown) return undecided;
  return outcome.finding == Finding::impossible ? violated : ok;
}

Outcome decide_one(const Question& question, const SearchOptions& search) {
  Outcome outcome;
  if (search.before) search.before(question);
  const Decision decision = decide_steps(question, search);
  outcome.tried.push_back(tried(question, decision));
  if (search.after) search.after(outcome.tried.back());
  outcome.schedule = decision.schedule;
  outcome.finding = decision.answer == Answer::sat     ? Finding::exists
                    : decision.answer == Answer::unsat ? Finding::impossible
                                                       : Finding::unknown;
  outcome.least = decision.answer == Answer::unsat ? question.steps + 1 : 0;
  if (decision.answer == Answer::sat) outcome.steps = question.steps;
  return outcome;
}

Outcome find_least(const Question& question, const SearchOptions& search, bool assume_bound) {
  std::optional<LowerBound> bound;
  if (assume_bound) bound = counted_bound(question);
  if (bound && bound->steps.value_or(0) == 0) bound.reset();  // counting says nothing
  Interval interval = least_steps(question, search, bound ? bound->steps : std::nullopt);
  Outcome outcome;
  outcome.finding = interval.none        ? Finding::impossible
                    : interval.decided() ? Finding::optimal
                                         : Finding::unknown;
  outcome.steps = interval.most;
  outcome.least = interval.least;
  if (interval.counted) outcome.assumed = std::move(bound);
  outcome.tried = std::move(interval.tried);
  outcome.schedule = std::move(interval.schedule);
  return outcome;
}

Outcome find_frontier(const Question& question, const SearchOptions& search) {
  Outcome outcome;
  outcome.frontier = frontier(question, search);
  outcome.finding = outcome.frontier->complete() ? Finding::optimal : Finding::unknown;
  outcome.tried = outcome.frontier->tried;
  return outcome;
}

Outcome run(const Question& question, const SearchOptions& search, const ProveOptions& options) {
  if (options.steps) return decide_one(question, search);
  if (const auto way = unreachable(question)) {
    Outcome outcome;
    outcome.finding = Finding::impossible;
    outcome.unreachable = way;
    return outcome;
  }
  return options.pareto ? find_frontier(question, search)
                        : find_least(question, search, options.assume_bound);
}

void check_usage(const ProveOptions& options) {
  if (options.steps && options.assume_bound) {
    throw UsageError("--assume-bound cannot be combined with --steps");
  }
  if (options.pareto &&
      (options.steps || options.rounds || options.output || options.smt2 || options.assume_bound)) {
    throw UsageError(
        "--pareto searches over steps, rounds and chunks; it excludes --steps, --rounds, "
        "--assume-bound, --smt2 and -o");
  }
  if (options.emit && !options.output)
    throw UsageError("--emit needs -o FILE: where to write the schedule");
}

/// Says so before a certificate takes much of the disk, and stops if it would not fit.
void announce_size(const std::string& folder, std::uint64_t bytes) {
  constexpr std::uint64_t MB = 1'000'000;
  if (bytes < large_text) return;
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  if (!unknown && space.available < bytes) {
    throw OutputError(fmt::format("the certificate takes {} MB and a proof, and {} has {} MB left",
                                  bytes / MB, folder, space.available / MB));
  }
  print_error(fmt::format("schedcc: note: the certificate takes {} MB, and a proof\n", bytes / MB));
}

}  // namespace

Status prove(const ProveOptions& options) {
  if (options.all_chunks) return prove_all_chunks(options);
  check_usage(options);
  check_outputs(options);
  SearchOptions search;
  search.solvers = solvers(options);
  const Question asked = question(options);
  const ProveFiles files(options, asked);
  const Interrupts interrupts;
  search.limits = limits(options);
  if (options.certificate) {
    search.certificates = *options.certificate;
    search.announce = [&](std::uint64_t bytes) { announce_size(*options.certificate, bytes); };
  }
  if (files.query && options.steps) files.write_query(asked);

  // A schedule or a query has standard output for itself; so has the JSON.
  const bool to_stderr = (options.output && is_standard_output(*options.output)) ||
                         (options.smt2 && is_standard_output(*options.smt2));
  StandardOutput standard;
  const auto say = [&](const std::string& line) {
    if (to_stderr) return print_error(line);
    standard.write(line);
  };
  std::unique_ptr<Progress> progress;
  search.before = [&](const Question& next) {
    progress = std::make_unique<Progress>(
        fmt::format("K = {}, T = {}{}", next.problem.chunks, next.steps,
                    next.rounds ? fmt::format(", R = {}", *next.rounds) : ""),
        !options.quiet);
  };
  search.limits.tick = [&] {
    if (progress) progress->show(0, "");
  };
  search.after = [&](const SearchResult& entry) {
    progress.reset();
    if (!options.json && !options.quiet) say(text(entry, options.pareto));
    if (entry.exhausted) {
      print_error(fmt::format("schedcc: note: T = {}: {}\n", entry.steps,
                              entry.limit.empty() ? "there is not enough memory" : entry.limit));
    }
  };

  const Outcome outcome = run(asked, search, options);
  if (files.query && !options.steps) files.write_refuted(asked, outcome);
  if (files.certificate) files.write_manifest(asked, outcome, options);
  if (options.json) {
    standard.write(dump(json(asked, outcome, search.solvers)));
  } else if (!options.quiet || outcome.finding == Finding::unknown) {
    say(text(asked, outcome, options));
  }
  if (files.schedule && outcome.schedule) files.write_schedule(asked, outcome, options);
  return status_of(outcome);
}

}  // namespace schedcc::cli
