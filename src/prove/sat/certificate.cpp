#include "prove/sat/certificate.hpp"

#include <filesystem>

#include <fmt/core.h>

#include "prove/sat/decide.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

constexpr const char* relaxed_name = "-relaxed.smt2";
constexpr const char* derived_name = ".derived";

void write_file(const std::string& path, const std::string& text) {
  TemporaryFile draft(path);
  draft.write(text);
  draft.keep();
}

void rename(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) throw InputError(fmt::format("cannot write {}: {}", to, error.message()));
}

void remove_file(const std::string& path) {
  std::error_code error;  // a missing file is not an error
  std::filesystem::remove(path, error);
  if (error) throw InputError(fmt::format("cannot remove {}: {}", path, error.message()));
}

/// The kinds of the clauses, numbered 1, 2, ... as by a proof checker.
std::string origins(const Question& question, const Formula& formula, Basis basis,
                    std::string_view comment_mark) {
  const auto range = [&](std::uint64_t first, std::uint64_t end, std::string_view what) {
    return first == end ? ""
                        : fmt::format("{} Clauses {}-{}: {}\n", comment_mark, first + 1, end, what);
  };
  const std::uint64_t all = formula.clauses();
  if (basis == Basis::all_clauses) {
    const std::uint64_t order = formula.essential_clauses();
    return range(0, order, "definition, with the clauses of docs/prover.md") +
           range(order, all, "derived: an order of schedules that differ by a symmetry");
  }
  const auto& derived = formula.derived();
  const std::uint64_t counted = derived.empty() ? all : derived.front().first;
  const bool turned = basis != Basis::definition && question.problem.reduction() &&
                      dual(question.problem).has_value();
  return range(0, counted, turned ? "definition, time reversed" : "definition") +
         range(counted, all, "derived, by the arguments of the file .derived");
}

/// The facts, and the argument of each group of derived clauses, one a line.
std::string arguments(const Encoding& encoding) {
  std::string text = fmt::format("{{\"facts\":\n{},\n \"derived\": [", encoding.facts);
  const char* separator = "\n";
  for (const Formula::Derivation& derived : encoding.formula.derived()) {
    text += fmt::format(R"({}{}, "first": {}, "clauses": {}, "fresh": {}}})", separator,
                        derived.argument, derived.first + 1, derived.clauses, derived.fresh + 1);
    separator = ",\n";
  }
  return text + "]}\n";
}

}  // namespace

std::vector<Attempt> attempts(const Question& question) {
  std::vector<Attempt> result{{Basis::definition, Hints::none()}};
  const bool turned = question.problem.reduction() && dual(question.problem);
  const bool counts = !question.problem.reduction() || turned || question.machine.ports();
  Hints hints = Hints::none();
  hints.dual = true;
  if (turned) result.push_back({Basis::reversed, hints});
  hints.counts = hints.argued = true;
  if (counts && (question.waiting || !question.machine.network()))
    result.push_back({Basis::counted, hints});
  return result;
}

std::string certificate_name(const Question& question) {
  return fmt::format("chunks-{}-steps-{}{}", question.problem.chunks, question.steps,
                     question.rounds ? fmt::format("-rounds-{}", *question.rounds) : "");
}

std::string heading(const Question& question, std::string_view comment_mark) {
  return fmt::format("{0} Is there a schedule? {1}\n{0} (unsat: there is none)\n", comment_mark,
                     describe(question));
}

std::uint64_t text_size(const Formula& formula) {
  // As measured, within a fifth.
  constexpr std::uint64_t of_literal = 15, of_variable = 31, of_clause = 14;
  return formula.data().size() * of_literal +
         static_cast<std::uint64_t>(formula.variables()) * of_variable +
         formula.clauses() * of_clause;
}

std::string Certificate::proof() {
  proof_.emplace(path_ + ".drat");
  return proof_->part();
}

std::string Certificate::better_proof() {
  better_.emplace(path_ + ".better.drat");
  return better_->part();
}

void Certificate::use_better_proof() {
  proof_.reset();
  proof_.emplace(path_ + ".drat");
  rename(better_->part(), proof_->part());
}

void Certificate::keep(const Question& question, const Encoding& encoding, Basis basis,
                       const std::string& relaxed) {
  const Formula& formula = encoding.formula;
  for (const char* left : {".drat", relaxed_name, derived_name}) remove_file(path_ + left);
  const auto head = [&](std::string_view comment_mark) {
    return heading(question, comment_mark) + origins(question, formula, basis, comment_mark);
  };
  write_file(path_ + ".smt2", smtlib(formula, head(";")));
  write_file(path_ + ".cnf", head("c") + dimacs(formula));
  if (!encoding.facts.empty()) write_file(path_ + derived_name, arguments(encoding));
  if (proof_) proof_->keep();
  if (!relaxed.empty()) write_file(path_ + relaxed_name, heading(question, ";") + relaxed);
}

}  // namespace schedcc::prover
