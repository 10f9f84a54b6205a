// The manifest of a certificate follows from what was decided and by whom, never from what lies in
// the folder.

#include <algorithm>

#include <fmt/format.h>

#include "cli/certificate_folder.hpp"
#include "cli/prove_report.hpp"
#include "ir/counted.hpp"
#include "prover/certificate.hpp"

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
  if (std::ranges::any_of(entry.refuted, &Refutation::proof)) {
    return fmt::format("`drat-trim {0}.cnf {0}.drat` says VERIFIED", name);
  }
  return fmt::format("`minisat {0}.cnf` says UNSATISFIABLE, `z3 {0}.smt2` unsat (no proof)", name);
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
    rows +=
        fmt::format("| {} | {} |{} `{}.cnf`, `{}.smt2` | {} | {} |\n", entry.chunks, entry.steps,
                    topology ? fmt::format(" {} |", entry.rounds.value_or(entry.steps)) : "", name,
                    name, names(entry), how_checked(entry, name));
  }
  if (rows.empty()) return {};
  return fmt::format(
      "| chunks | {}s |{} question | refuted by | checked by |\n|---|---|---|---|---|{}\n{}", unit,
      topology ? " rounds |" : "", topology ? "---|" : "", rows);
}

/// Why no number of steps is enough.
std::string cut(const Unreachable& way, std::uint64_t ranks) {
  const bool switches = !way.reached.empty() && way.reached.back() >= ranks;
  const std::string reached = fmt::format(
      ", which wants what starts there, so no number of steps is enough. All that can "
      "be reached from there is {}{}; no link of the topology leads from one of these "
      "to any other node.",
      fmt::join(way.reached, ", "), switches ? fmt::format(" (from {} on: switches)", ranks) : "");
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
    "is a schedule; its first lines say of what. That it says so is argued in docs/prover.md, "
    "and what breaks symmetries is a part of it.\n\n";

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
