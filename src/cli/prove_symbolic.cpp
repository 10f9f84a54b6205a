// schedcc prove ALGORITHM --all-chunks: an algorithm's schedule, proved for every number of chunks.

#include <atomic>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/certificate_folder.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/prove_options.hpp"
#include "cli/requests.hpp"
#include "cli/signals.hpp"
#include "cli/sources.hpp"
#include "prove/symbolic/proof_request.hpp"
#include "prove/symbolic/proof_text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

/// The destination of the queries: one file, and a folder with a file for each and a list of them.
class Queries {
 public:
  explicit Queries(const ProveOptions& options) {
    if (options.certificate) {
      certificate_ = std::make_unique<CertificateFolder>(*options.certificate);
    }
    if (options.smt2) out_ = std::make_unique<FileOutput>(*options.smt2);
    if (certificate_) certificate_->clear();
  }

  void add(const SymbolicQuery& query) {
    // A satisfiable query had only some of the conditions, or is the last one.
    if (query.answer == Answer::sat) return;
    ++count_;
    if (out_) out_->write(count_ == 1 ? query.text : "(reset)\n" + query.text);
    if (!certificate_) return;
    const std::string name = fmt::format("{:04}-{}.smt2", count_, query.check);
    list_ +=
        fmt::format("| `{}` | {} | {} | {} | {}{} |\n", name, query.rank_class,
                    query.example ? fmt::format("like {}", *query.example) : "all", query.check,
                    query.what, query.answer == Answer::unknown ? " (undecided)" : "");
    FileOutput file(certificate_->path() + "/" + name);
    file.write(query.text);
    file.commit();
  }

  void commit(const ProofRequest& theorem, const SymbolicProof& proof) {
    if (out_ && count_ > 0) out_->commit();
    if (certificate_) certificate_->commit(manifest(theorem, proof));
  }

 private:
  std::string manifest(const ProofRequest& theorem, const SymbolicProof& proof) const {
    const std::string& counted = theorem.schedule.enumerated_property;
    return fmt::format(
        "{}{}: {}{}\n{}\n"
        "Each query asks for values for which a rank of this kind violates a check. `z3 FILE` "
        "says unsat: there are none. All of them together are the theorem, by the argument of "
        "docs/symbolic-proofs.md.{}\n\n"
        "| query | kind | ranks | check | violation |\n|---|---|---|---|---|\n{}",
        manifest_head("What was proved"), subject(proof), name(proof.verdict), steps_clause(proof),
        counterexample_text(proof),
        counted.empty()
            ? ""
            : fmt::format(" Verified by enumeration for every rank, without a query: {}.", counted),
        list_);
  }

  std::unique_ptr<FileOutput> out_;
  std::unique_ptr<CertificateFolder> certificate_;
  std::string list_;  ///< a line for each file in the folder
  std::uint64_t count_ = 0;
};

/// An option that cannot be given with --all-chunks.
struct ExcludedOption {
  const char* name;
  bool (*given)(const ProveOptions&);
  const char* why;  ///< what --all-chunks does instead
};

constexpr const char* all_numbers = "proves all numbers of chunks";
constexpr const char* of_files = "takes an algorithm, not a file";
constexpr const char* of_search = "does not search for a schedule";
constexpr const char* of_output =
    "finds no schedule; its queries are written by "
    "--smt2 and --certificate";

/// In the order in which they are reported.
constexpr ExcludedOption excluded_options[] = {
    {"--chunks", [](const ProveOptions& o) { return o.chunks.has_value(); }, all_numbers},
    {"--block-sizes", [](const ProveOptions& o) { return o.block_sizes.has_value(); }, all_numbers},
    {"--from", [](const ProveOptions& o) { return o.from.has_value(); }, of_files},
    {"--problem", [](const ProveOptions& o) { return o.problem.has_value(); }, of_files},
    {"--strict-format", [](const ProveOptions& o) { return o.strict_format; }, of_files},
    {"--steps", [](const ProveOptions& o) { return o.steps.has_value(); },
     "proves a formula of the number of steps"},
    {"--ordered", [](const ProveOptions& o) { return o.ordered; },
     "does not prove the order of operands"},
    {"--rounds", [](const ProveOptions& o) { return o.rounds.has_value(); }, of_search},
    {"--pareto", [](const ProveOptions& o) { return o.pareto; }, of_search},
    {"--assume-bound", [](const ProveOptions& o) { return o.assume_bound; }, of_search},
    {"--no-wait", [](const ProveOptions& o) { return o.no_wait; }, of_search},
    {"--eager", [](const ProveOptions& o) { return o.eager != 0; }, of_search},
    {"--emit", [](const ProveOptions& o) { return o.emit.has_value(); }, of_output},
    {"--output", [](const ProveOptions& o) { return o.output.has_value(); }, of_output},
};

/// Throws UsageError unless the argument is one that --all-chunks takes: the name of an algorithm.
void check_symbolic_argument(const ProveOptions& o) {
  if (o.arguments.size() != 1) {
    throw UsageError("--all-chunks takes one algorithm: prove ALGORITHM --all-chunks");
  }
  const std::string& name = o.arguments.front();
  if (has_own_algorithm(name)) {
    throw UsageError(
        "--all-chunks proves the formula of an algorithm's schedule, and a generator has none");
  }
  if (is_file(name)) {
    throw UsageError(
        fmt::format("'{}' is a file, whose number of chunks is fixed (schedcc verify checks it); "
                    "--all-chunks is for the algorithms {}",
                    name, names_of_symbolic_schedules()));
  }
}

/// Throws UsageError for a command line that --all-chunks does not serve.
void check_symbolic_usage(const ProveOptions& o) {
  check_symbolic_argument(o);
  for (const ExcludedOption& option : excluded_options) {
    if (option.given(o))
      throw UsageError(fmt::format("{} cannot be combined with --all-chunks, which {}", option.name,
                                   option.why));
  }
  if (o.solver && *o.solver != "z3") {
    throw UsageError("--all-chunks proves formulas over unbounded integers: only --solver z3 can");
  }
  check_outputs(o);
  if (!stated_ranks(o.ranks, o.machine)) {
    throw UsageError(
        "--all-chunks needs --ranks P: it proves every number of chunks for one number of ranks");
  }
}

SymbolicQuestion symbolic_question(const ProveOptions& options) {
  SymbolicQuestion question{.algorithm = options.arguments.front(),
                            .ranks = *stated_ranks(options.ranks, options.machine),
                            .root = options.root,
                            .machine = options.machine.value_or("")};
  if (options.collective) question.collective = collective_of_user(*options.collective);
  return question;
}

}  // namespace

Status prove_all_chunks(const ProveOptions& options) {
  check_symbolic_usage(options);
  ProofRequest what = proof_request(symbolic_question(options));
  if (!has_z3()) throw InputError("schedcc was built without Z3, which --all-chunks needs");
  Queries queries(options);
  const Interrupts interrupts;

  SymbolicOptions search;
  search.limits = limits(options);
  Progress progress(what.spec, !options.quiet);
  std::atomic<std::uint64_t> asked = 0;
  search.limits.poll = [&] { progress.show(asked, "queries"); };
  search.query = [&](const SymbolicQuery& query) {
    ++asked;
    queries.add(query);
  };
  const SymbolicProof proof = prover::prove(what, search);
  queries.commit(what, proof);

  StandardOutput standard;
  if (options.json) {
    standard.write(to_json(proof));
  } else if (!options.quiet || proof.verdict != Verdict::holds) {
    // Queries on standard output must be alone there.
    const bool taken = options.smt2 && is_standard_output(*options.smt2);
    taken ? print_error(to_text(proof)) : standard.write(to_text(proof));
  }
  if (proof.verdict == Verdict::unknown) return undecided;
  if (proof.verdict == Verdict::holds) return ok;
  return what.own_machine ? internal_error : violated;
}

}  // namespace schedcc::cli
