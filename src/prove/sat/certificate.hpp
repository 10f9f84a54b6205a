#pragma once

// The certificate of an `impossible`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/temporary_file.hpp"

namespace schedcc::prover {

/// The clauses added to the definition, for each basis but the last.
struct Attempt {
  Basis basis;
  Hints hints;
};
std::vector<Attempt> attempts(const Question& question);

/// The files of one question, PATH.smt2 and PATH.cnf, the formula, PATH.derived, the arguments for
/// its derived clauses, and the refutation: PATH.drat, the proof of a solver, or PATH-relaxed.smt2,
/// the query of the relaxation. They are written when the question is refuted, and replace earlier
/// files.
class Certificate {
 public:
  /// An empty path: none is requested.
  explicit Certificate(std::string path) : path_(std::move(path)) {}

  bool wanted() const { return !path_.empty(); }
  /// The path for a solver's proof. It is removed without keep().
  std::string proof();
  /// The path for a second proof, which may replace the first.
  std::string better_proof();
  void use_better_proof();
  /// Discards the proof.
  void no_proof() { proof_.reset(); }
  /// Writes the formula, keeps the proof, if there is one, and writes the query of the relaxation,
  /// if it is not empty. No other file of these names remains. Throws InputError.
  void keep(const Question& question, const Encoding& encoding, Basis basis,
            const std::string& relaxed);

 private:
  std::string path_;
  std::optional<TemporaryFile> proof_, better_;
};

/// The name of a question's files in a folder of certificates, without an extension.
std::string certificate_name(const Question& question);

/// The lines before a formula that state its question.
std::string heading(const Question& question, std::string_view comment_mark);

/// About how many bytes a formula takes as SMT-LIB and DIMACS together.
std::uint64_t text_size(const Formula& formula);
/// The size in bytes from which a note is printed first.
constexpr std::uint64_t large_text = 200'000'000;

}  // namespace schedcc::prover
