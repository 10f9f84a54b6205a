#include "prover/certificate.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "prover/decide.hpp"

namespace schedcc::prover {

namespace {

constexpr const char* relaxed = "-relaxed.smt2";

void write_file(const std::string& path, const std::string& text) {
  Draft draft(path);
  draft.write(text);
  draft.keep();
}

}  // namespace

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

void Certificate::keep_proof() {
  proof_->keep();
  std::filesystem::remove(path_ + relaxed);
}

void Certificate::keep_relaxation(const Question& question, const std::string& query) const {
  write_file(path_ + relaxed, heading(question, ";") + query);
  std::filesystem::remove(path_ + ".drat");
}

void Certificate::keep_formula(const Question& question, const Formula& formula) const {
  write_file(path_ + ".smt2", smtlib(formula, heading(question, ";")));
  write_file(path_ + ".cnf", heading(question, "c") + dimacs(formula));
}

}  // namespace schedcc::prover
