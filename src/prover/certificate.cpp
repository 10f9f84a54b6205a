#include "prover/certificate.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "prover/decide.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

constexpr const char* relaxed_name = "-relaxed.smt2";

void write_file(const std::string& path, const std::string& text) {
  Draft draft(path);
  draft.write(text);
  draft.keep();
}

void remove_file(const std::string& path) {
  std::error_code error;  // that there is none is none
  std::filesystem::remove(path, error);
  if (error) throw InputError(fmt::format("cannot remove {}: {}", path, error.message()));
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

void Certificate::keep(const Question& question, const Formula& formula,
                       const std::string& relaxed) {
  for (const char* left : {".drat", relaxed_name}) remove_file(path_ + left);
  write_file(path_ + ".smt2", smtlib(formula, heading(question, ";")));
  write_file(path_ + ".cnf", heading(question, "c") + dimacs(formula));
  if (proof_) proof_->keep();
  if (!relaxed.empty()) write_file(path_ + relaxed_name, heading(question, ";") + relaxed);
}

}  // namespace schedcc::prover
