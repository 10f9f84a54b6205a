#pragma once

// What an `impossible` leaves for others to check.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/encoding.hpp"
#include "prove/sat/instance.hpp"
#include "prove/sat/temporary_file.hpp"

namespace schedcc::prover {

/// The formulas to certify an answer by, but for the last: what is added to the definition.
struct Attempt {
  Basis basis;
  Hints hints;
};
std::vector<Attempt> attempts(const Question& question);

/// The files of one question, PATH.smt2 and PATH.cnf, the formula, PATH.derived, the arguments for
/// those of its clauses that are not definition, and what refutes it: PATH.drat, the proof of a
/// solver, or PATH-relaxed.smt2, a query about fractions of schedules. They are written when the
/// question is refuted, and take the places of those of an earlier time.
class Certificate {
 public:
  /// An empty path: nobody wants one.
  explicit Certificate(std::string path) : path_(std::move(path)) {}

  bool wanted() const { return !path_.empty(); }
  /// Where a solver is to write its proof. Nothing remains of it without keep().
  std::string proof();
  /// Where it is to write one that may take the place of that.
  std::string better_proof();
  void use_better_proof();
  /// The solver has proved nothing.
  void no_proof() { proof_.reset(); }
  /// Writes the formula, keeps the proof, if there is one, and writes the query about fractions,
  /// if it is not empty. No other file of these names remains. Throws InputError.
  void keep(const Question& question, const Encoding& encoding, Basis basis,
            const std::string& relaxed);

 private:
  std::string path_;
  std::optional<TemporaryFile> proof_, better_;
};

/// The lines that go before a formula and say what it asks.
std::string heading(const Question& question, std::string_view comment_mark);

/// About how many bytes a formula takes as SMT-LIB and DIMACS together.
std::uint64_t text_size(const Formula& formula);
/// From so many on it is said that they will be written.
constexpr std::uint64_t large_text = 200'000'000;

}  // namespace schedcc::prover
