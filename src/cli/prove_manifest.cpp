// The manifest of a certificate follows from what was decided and by whom, never from what lies in
// the folder.

#include <algorithm>

#include <fmt/core.h>

#include "cli/certificate_folder.hpp"
#include "cli/prove_report.hpp"
#include "core/counted.hpp"
#include "core/join.hpp"
#include "prove/sat/certificate.hpp"

namespace schedcc::cli {

using namespace prover;

namespace {

bool by_fractions(const Try& entry) {
  return !entry.refuted.empty() && entry.refuted.front().by == fractions;
}

std::string names(const Try& entry) {
  std::string result;
  for (const Refutation& refutation : entry.refuted) {
    result += fmt::format("{}{}", result.empty() ? "" : ", ", refutation.by);
  }
  return result;
}

/// The commands that check a refutation, and what they say.
std::string how_checked(const Try& entry, const std::string& name) {
  if (by_fractions(entry)) return fmt::format("`z3 {}-relaxed.smt2` says unsat", name);
  const bool proof = std::ranges::any_of(entry.refuted, &Refutation::proof);
  std::string refuted =
      proof ? fmt::format("`drat-trim {0}.cnf {0}.drat` says VERIFIED", name)
            : fmt::format("`minisat {0}.cnf` says UNSATISFIABLE, `z3 {0}.smt2` unsat (no proof)",
                          name);
  if (entry.basis != Basis::counted) return refuted;
  return fmt::format("{}, `python3 docs/check_counting.py {}.cnf {}.derived` too", refuted, name,
                     name);
}

/// What the formula consists of.
std::string_view content(Basis basis) {
  switch (basis) {
    case Basis::definition:
      return "definition";
    case Basis::reversed:
      return "definition, turned round";
    case Basis::counted:
      return "definition, and clauses that are derived from it";
    case Basis::argued:
      break;
  }
  return "definition, and what is argued";
}

Question asked(const Question& question, const Try& entry) {
  Question result = question;
  result.problem.chunks = static_cast<std::uint32_t>(entry.chunks);
  result.steps = entry.steps;
  result.rounds = entry.rounds;
  return result;
}

std::string table(const Question& question, const Outcome& outcome, std::string_view unit) {
  const bool topology = question.machine.topology != nullptr;
  std::string rows;
  for (const Try& entry : outcome.tried) {
    if (entry.answer != Answer::unsat) continue;
    const std::string name = certificate_name(asked(question, entry));
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
      ", which wants what starts there, so no number of steps is enough. All that can "
      "be reached from there is {}{}; no link of the topology leads from one of these "
      "to any other node.",
      join(way.reached, ", "), switches ? fmt::format(" (from {} on: switches)", ranks) : "");
  return fmt::format("No solver was asked: {}{} (`--steps T` asks a solver, for one T.)\n",
                     no_way(way),
                     way.sources.empty() ? ", so no number of steps is enough." : reached);
}

/// What asks the question of a custom problem again, from where the certificate was made.
std::string command(const Question& question, const Options& options) {
  return fmt::format("schedcc prove {}/{} --machine {}{}{}{}", *options.certificate, problem_name,
                     question.machine.spec, question.waiting ? "" : " --no-wait",
                     question.rounds ? fmt::format(" --rounds {}", *question.rounds) : "",
                     question.eager > 0 ? fmt::format(" --eager {}", question.eager) : "");
}

constexpr std::string_view about_questions =
    "Each question is a formula, `.cnf` and `.smt2` the same, that has a model exactly if there "
    "is a schedule; its first lines say of what, and which of its clauses are definition and which "
    "are derived. *Definition* is what docs/prover.md says of a schedule, and nothing else; "
    "*turned round*, the same of the broadcast, allgather, ... that a reduction is when time and "
    "links are turned round. What is *derived* from it follows by counting, and "
    "docs/check_counting.py checks each of the arguments. What is *argued* follows from "
    "docs/prover.md only: where the definition alone was not refuted in the time for it.\n\n";

constexpr std::string_view about_fractions =
    "\nWhat is refuted by fractions: nobody has decided that `.cnf` and `.smt2`. What is to be "
    "checked is the `-relaxed.smt2`: whether chunks that may flow in fractions could do it. "
    "Each of its variables is the mean over all that the symmetries of the problem take to each "
    "other. That a schedule would give it a solution is thus an argument to be trusted, and so "
    "are the symmetries that were found (docs/prover.md, *Fractions*).\n";

}  // namespace

std::string manifest(const Question& question, const Outcome& outcome, const Options& options) {
  const std::string_view unit = question.machine.logp ? "cycle" : "step";
  std::string out = manifest_head("What was refuted") + text(question, outcome, options) + "\n";
  if (question.problem.custom) {
    out += fmt::format("The problem is what `{}` states; `{}` asks again.\n\n", problem_name,
                       command(question, options));
  }
  if (outcome.unreachable) return out + cut(*outcome.unreachable, question.problem.ranks);
  const std::string rows = table(question, outcome, unit);
  if (!rows.empty() || outcome.assumed) out += about_questions;
  out += rows.empty() ? "Nothing was refuted by a solver.\n" : rows;
  if (std::ranges::any_of(outcome.tried, by_fractions)) out += about_fractions;
  if (!outcome.assumed) return out;
  const Question assumed = below(question, outcome.least);
  const std::string name = certificate_name(assumed);
  return out + fmt::format(
                   "\nTaken for granted, not refuted: that {} are not enough. Counting says so "
                   "({}). The question is in `{}.cnf` and `{}.smt2`, for a solver to decide.\n",
                   counted(assumed.steps, unit), outcome.assumed->source, name, name);
}

}  // namespace schedcc::cli
