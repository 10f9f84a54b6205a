// schedcc prove: whether a schedule exists, and with how few steps.

#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/prove_files.hpp"
#include "cli/prove_options.hpp"
#include "cli/prove_question.hpp"
#include "cli/signals.hpp"
#include "prove/sat/certificate.hpp"
#include "prove/sat/solver.hpp"
#include "schedcc/error.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

Status status_of(const Outcome& outcome) {
  if (outcome.conclusion == Conclusion::unknown) return undecided;
  return outcome.conclusion == Conclusion::impossible ? violated : ok;
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

/// Prints a note before a certificate takes much of the disk, and stops if it would not fit.
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
  ProofOptions search;
  search.aim = options.steps ? Aim::exists : options.pareto ? Aim::frontier : Aim::least;
  search.solver = options.solver.value_or("");
  search.assume_bound = options.assume_bound;
  chosen_solvers(search.solver);  // a wrong name is an error before anything is read
  const Question asked = question(options);
  const ProveFiles files(options, asked);
  const Interrupts interrupts;
  search.limits = limits(options);
  if (options.certificate) {
    search.certificates = *options.certificate;
    search.announce = [&](std::uint64_t bytes) { announce_size(*options.certificate, bytes); };
  }
  if (files.query && options.steps) files.write_query(asked);

  // A schedule, a query or the JSON report must be alone on standard output.
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
    if (!options.json && !options.quiet) say(to_text(entry, options.pareto));
    if (entry.exhausted) {
      print_error(fmt::format("schedcc: note: T = {}: {}\n", entry.steps,
                              entry.limit.empty() ? "there is not enough memory" : entry.limit));
    }
  };

  const Outcome outcome = prover::prove(asked, search);
  if (files.query && !options.steps) files.write_refuted(asked, outcome);
  if (files.certificate) files.write_manifest(asked, outcome, options);
  if (options.json) {
    standard.write(to_json(asked, outcome));
  } else if (!options.quiet || outcome.conclusion == Conclusion::unknown) {
    say(to_text(asked, outcome));
  }
  if (files.schedule && outcome.schedule) files.write_schedule(asked, outcome, options);
  return status_of(outcome);
}

}  // namespace schedcc::cli
