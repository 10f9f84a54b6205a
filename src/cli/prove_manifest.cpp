// The manifest of a certificate follows from the decisions and the solvers that made them, never
// from the contents of the folder.

#include "cli/prove_manifest.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "cli/certificate_folder.hpp"
#include "core/counted.hpp"
#include "core/join.hpp"
#include "prove/sat/certificate.hpp"
#include "prove/sat/outcome.hpp"

namespace schedcc::cli {

using namespace prover;

namespace {

bool by_fractions(const SearchResult& entry) {
  return !entry.refuted.empty() && entry.refuted.front().solver == fractions;
}

std::string names(const SearchResult& entry) {
  std::string result;
  for (const Refutation& refutation : entry.refuted) {
    result += fmt::format("{}{}", result.empty() ? "" : ", ", refutation.solver);
  }
  return result;
}

/// The commands that check a refutation, and what they print.
std::string how_checked(const SearchResult& entry, const std::string& name) {
  if (by_fractions(entry)) return fmt::format("`z3 {}-relaxed.smt2` prints unsat", name);
  const bool proof = std::ranges::any_of(entry.refuted, &Refutation::has_proof);
  std::string refuted =
      proof ? fmt::format("`drat-trim {0}.cnf {0}.drat` prints VERIFIED", name)
            : fmt::format("`minisat {0}.cnf` prints UNSATISFIABLE, `z3 {0}.smt2` unsat (no proof)",
                          name);
  if (entry.basis != Basis::counted) return refuted;
  return fmt::format("{}, `python3 docs/check_counting.py {}.cnf {}.derived` too", refuted, name,
                     name);
}

/// The kinds of clauses of the formula.
std::string_view content(Basis basis) {
  switch (basis) {
    case Basis::definition:
      return "definition";
    case Basis::reversed:
      return "definition, reversed";
    case Basis::counted:
      return "definition, and derived clauses";
    case Basis::all_clauses:
      break;
  }
  return "definition, and argued clauses";
}

std::string table(const Question& question, const Outcome& outcome, std::string_view unit) {
  const bool topology = question.machine.has_rounds();
  std::string rows;
  for (const SearchResult& entry : outcome.tried) {
    if (entry.answer != Answer::unsat) continue;
    const std::string name = certificate_name(question_of(question, entry));
    rows += fmt::format("| {} | {} |{} `{}.cnf`, `{}.smt2` | {} | {} | {} |\n", entry.chunks,
                        entry.steps,
                        topology ? fmt::format(" {} |", entry.rounds.value_or(entry.steps)) : "",
                        name, name, content(entry.basis), names(entry), how_checked(entry, name));
  }
  if (rows.empty()) return {};
  return fmt::format(
      "| chunks | {}s |{} question | clauses | refuted by | checked by |\n"
      "|---|---|---|---|---|---|{}\n{}",
      unit, topology ? " rounds |" : "", topology ? "---|" : "", rows);
}

/// Why no number of steps is enough.
std::string cut(const Unreachable& way, std::uint64_t ranks) {
  const bool switches = !way.reached.empty() && way.reached.back() >= ranks;
  const std::string reached = fmt::format(
      ", which must end with a chunk that starts there, so no number of steps is enough. All that "
      "can be reached from there is {}{}; no link leaves this set.",
      join(way.reached, ", "), switches ? fmt::format(" ({} and above are switches)", ranks) : "");
  return fmt::format("Decided without a solver: {}{} (`--steps T` runs one, for that T.)\n",
                     unreachable_text(way),
                     way.sources.empty() ? ", so no number of steps is enough." : reached);
}

/// The command that repeats the search for a custom problem, in the folder where it was run.
std::string command(const Question& question, const ProveOptions& options) {
  return fmt::format("schedcc prove {}/{} --machine {}{}{}{}", *options.certificate, problem_name,
                     question.machine.spec(), question.waiting ? "" : " --no-wait",
                     question.rounds ? fmt::format(" --rounds {}", *question.rounds) : "",
                     question.eager > 0 ? fmt::format(" --eager {}", question.eager) : "");
}

constexpr std::string_view about_questions =
    "Each question is a formula, the same in `.cnf` and `.smt2`, that is satisfiable if and only "
    "if a schedule exists. Its first lines state the problem, and which clauses are definition and "
    "which are derived. *Definition*: what docs/prover.md requires of a schedule, and nothing "
    "else. *Reversed*: the definition for the broadcast, allgather, ... that a reduction becomes "
    "when "
    "time and links are reversed. *Derived*: clauses that follow from the definition by counting; "
    "docs/check_counting.py checks each argument. *Argued*: clauses that follow by arguments in "
    "docs/prover.md only; they are used where the definition alone was not refuted in time.\n\n";

constexpr std::string_view about_fractions =
    "\nRefuted by the relaxation: no solver has decided that `.cnf` and `.smt2`. The query to "
    "check is `-relaxed.smt2`: whether chunks could be delivered in time if they could be sent in "
    "fractions. Each of its variables is the mean over an orbit of the symmetries of the problem. "
    "That every "
    "schedule yields a solution of it is an argument that is not checked, and so are the "
    "symmetries that were found (docs/prover.md, *Relaxation*).\n";

}  // namespace

bool states_problem(const Question& question) { return question.problem.declared(); }

std::string manifest(const Question& question, const Outcome& outcome,
                     const ProveOptions& options) {
  const std::string_view unit = question.machine.step_unit();
  std::string out = manifest_head("What was refuted") + to_text(question, outcome) + "\n";
  if (states_problem(question)) {
    out += fmt::format("`{}` states the problem; `{}` repeats the search.\n\n", problem_name,
                       command(question, options));
  }
  if (outcome.unreachable) return out + cut(*outcome.unreachable, question.problem.ranks);
  const std::string rows = table(question, outcome, unit);
  const std::vector<Assumption> assumed = assumptions(question, outcome);
  if (!rows.empty() || !assumed.empty()) out += about_questions;
  out += rows.empty() ? "Nothing was refuted by a solver.\n" : rows;
  if (std::ranges::any_of(outcome.tried, by_fractions)) out += about_fractions;
  for (const auto& [asked, bound_source] : assumed) {
    const std::string name = certificate_name(asked);
    out += fmt::format(
        "\nAssumed, not refuted: that no schedule has {}{}, by the lower bound from counting ({}). "
        "The question is in `{}.cnf` and `{}.smt2`, for a solver to decide.\n",
        counted(asked.steps, unit),
        outcome.frontier ? " for " + counted(asked.problem.chunks, "chunk") : "", bound_source,
        name, name);
  }
  return out;
}

}  // namespace schedcc::cli
