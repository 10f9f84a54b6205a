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
#include "prove/sat/outcome.hpp"
#include "prove/sat/search.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/error.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

Status status_of(const Outcome& outcome) {
  if (outcome.conclusion == Conclusion::unknown) return undecided;
  return outcome.conclusion == Conclusion::impossible ? violated : ok;
}

void check_search_usage(const ProveOptions& options) {
  if (options.steps && options.assume_bound) {
    throw UsageError("--assume-bound cannot be combined with --steps");
  }
  if (options.pareto && (options.steps || options.rounds || options.output || options.smt2)) {
    throw UsageError(
        "--pareto searches over steps, rounds and chunks; it excludes --steps, --rounds, --smt2 "
        "and -o");
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
    throw OutputError(
        fmt::format("the certificate needs {} MB, and its proof more, and {} has {} MB left",
                    bytes / MB, folder, space.available / MB));
  }
  print_error(
      fmt::format("schedcc: note: the certificate needs {} MB, and its proof more\n", bytes / MB));
}

/// What is searched for, and within which limits.
ProofOptions proof_options(const ProveOptions& options) {
  ProofOptions result;
  result.aim = options.steps ? Aim::exists : options.pareto ? Aim::frontier : Aim::least;
  result.solver = options.solver.value_or("");
  result.assume_bound = options.assume_bound;
  chosen_solvers(result.solver);  // a wrong name is an error before anything is read
  return result;
}

/// The output while `prove` searches, and its result.
class SearchOutput {
 public:
  explicit SearchOutput(const ProveOptions& options) : options_(options) {}

  /// A schedule, a query or the JSON report must be alone on standard output.
  void print_line(const std::string& line) {
    const bool to_stderr = (options_.output && is_standard_output(*options_.output)) ||
                           (options_.smt2 && is_standard_output(*options_.smt2));
    if (to_stderr) return print_error(line);
    standard_.write(line);
  }

  /// Shows the progress of each step of the search, and says what it found.
  void follow(ProofOptions& search, const Question& asked) {
    search.before = [this](const Question& next) {
      progress_ = std::make_unique<Progress>(
          fmt::format("K = {}, T = {}{}", next.problem.chunks, next.steps,
                      next.rounds ? fmt::format(", R = {}", *next.rounds) : ""),
          !options_.quiet);
    };
    search.limits.poll = [this] {
      if (progress_) progress_->show(0, "");
    };
    search.after = [this, &asked](const SearchResult& entry) { found(entry, asked); };
  }

  void report(const Question& asked, const Outcome& outcome) {
    if (options_.json) {
      standard_.write(to_json(asked, outcome));
    } else if (!options_.quiet || outcome.conclusion == Conclusion::unknown) {
      print_line(to_text(asked, outcome));
    }
  }

 private:
  void found(const SearchResult& entry, const Question& asked) {
    progress_.reset();
    if (!options_.json && !options_.quiet) print_line(search_result_text(entry, options_.pareto));
    if (entry.exhausted) {
      print_error(fmt::format("schedcc: note: T = {}: {}{}\n", entry.steps,
                              entry.limit.empty() ? "there is not enough memory" : entry.limit,
                              below_bound(entry, asked)));
    }
  }

  /// Where to start instead, if the search ends below the bound by counting.
  std::string below_bound(const SearchResult& entry, const Question& asked) const {
    if (options_.steps || options_.assume_bound) return {};
    const auto bound = bound_to_assume(question_of(asked, entry));
    if (!bound || *bound->steps <= entry.steps) return {};
    return fmt::format("; --assume-bound starts at {}, the bound by counting", *bound->steps);
  }

  const ProveOptions& options_;
  StandardOutput standard_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace

Status prove(const ProveOptions& options) {
  if (options.all_chunks) return prove_all_chunks(options);
  check_search_usage(options);
  check_outputs(options);
  ProofOptions search = proof_options(options);
  const Question asked = question(options);
  const ProveFiles files(options, asked);
  const Interrupts interrupts;
  search.limits = limits(options);
  if (options.certificate) {
    search.certificates = *options.certificate;
    search.announce = [&](std::uint64_t bytes) { announce_size(*options.certificate, bytes); };
  }
  if (files.query && options.steps) files.write_query(asked);

  SearchOutput output(options);
  output.follow(search, asked);
  const Outcome outcome = prover::prove(asked, search);
  if (files.query && !options.steps) files.write_refuted(asked, outcome);
  if (files.certificate) files.write_manifest(asked, outcome, options);
  output.report(asked, outcome);
  if (files.schedule && outcome.schedule) files.write_schedule(asked, outcome, options);
  return status_of(outcome);
}

}  // namespace schedcc::cli
