#pragma once

// A propositional formula in clauses, as every SAT solver reads it, and the few constraints on
// numbers of true literals that schedules need.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// A variable 1, 2, ... or, negative, its negation.
using Literal = int;
using Literals = std::vector<Literal>;

/// A formula would have more than Formula::max_literals literals, or variables.
class FormulaTooLarge : public std::length_error {
 public:
  using std::length_error::length_error;
};

/// The values of the variables 1, 2, ... at [1], [2], ...
using Model = std::vector<bool>;

/// Is a literal true in a model?
inline bool is_true(Literal literal, const Model& model) {
  return model[static_cast<std::size_t>(std::abs(literal))] == (literal > 0);
}

class Formula {
 public:
  /// Variable 1 is true in every model: constants are literals like others.
  static constexpr Literal yes = 1, no = -1;

  /// The limit on the size of a formula: a solver needs some 40 bytes of memory for a literal, and
  /// more as it works.
  static constexpr std::size_t max_literals = std::size_t{1} << 26;

  /// `poll_limits` is called while the formula grows. Throws FormulaTooLarge if it would grow too
  /// large.
  explicit Formula(PollLimits poll_limits = nullptr);

  /// Calls `poll_limits`, for work on the formula that does not make it grow.
  void poll_limits() const {
    if (poll_limits_) poll_limits_();
  }

  /// A new variable with a meaning: `kind` and up to five indices, for readable files.
  Literal variable(std::string_view kind, std::initializer_list<std::uint64_t> about);
  /// A new variable of the encoding's own.
  Literal fresh();

  /// One of the literals is true.
  void add(std::span<const Literal> clause);
  void add(std::initializer_list<Literal> clause) { add({clause.begin(), clause.size()}); }
  /// At most, at least `k` of them are true.
  void at_most(const Literals& literals, std::uint64_t k);
  void at_least(Literals literals, std::uint64_t k);
  /// Literals of which the i-th (from 0) is true if more than i of `literals` are; as many as
  /// `literals`, but at most `limit`. It may also be true otherwise.
  Literals counted(const Literals& literals, std::uint64_t limit);
  /// The same, but the i-th is false otherwise.
  Literals counted_exactly(const Literals& literals, std::uint64_t limit);

  /// Runs `add`, whose clauses follow from the previous ones, by `argument` (counting.hpp).
  void derive(std::string argument, const std::function<void()>& add);
  struct Derivation {
    std::string argument;
    std::uint64_t first, clauses;  ///< the first clause that follows (of 0, 1, ...); how many do
    int fresh;                     ///< variables above are new in these clauses
  };
  const std::vector<Derivation>& derived() const { return derived_; }

  /// Clauses from here on only choose one of several equivalent models.
  void begin_choice() {
    essential_ = data_.size();
    essential_clauses_ = clauses_;
  }

  /// Adds a guess: an assumption with which a model is often found faster, though it may exclude
  /// all.
  void guess(Literal literal) { guesses_.push_back(literal); }
  std::span<const Literal> guesses() const { return guesses_; }

  /// A solver should look for a model rather than for a refutation.
  void expect_model() { expects_model_ = true; }
  bool expects_model() const { return expects_model_; }

  /// How soon a model is found depends on luck: a second solver should make other random choices.
  void need_luck() { needs_luck_ = true; }
  bool needs_luck() const { return needs_luck_; }

  /// Is one of the clauses empty?
  bool refuted() const { return refuted_; }

  int variables() const { return variables_; }
  std::uint64_t clauses() const { return clauses_; }
  /// The clauses one after another, each followed by a 0.
  std::span<const Literal> data() const { return data_; }
  /// The clauses before begin_choice(): satisfiable exactly if all clauses are.
  std::span<const Literal> essential() const {
    return data().first(essential_.value_or(data_.size()));
  }
  std::uint64_t essential_clauses() const { return essential_clauses_.value_or(clauses_); }
  /// "has_0_3_2" for a variable with a meaning, "x17" for others.
  std::string name(int variable) const;

 private:
  struct VariableName {
    std::string_view kind;
    std::array<std::uint32_t, 5> about;
    std::size_t count;  ///< of its indices
  };

  void at_most_one(const Literals& literals);
  /// In which direction a count follows from the literals: is it true only with them, too?
  enum class Implied : std::uint8_t { by_them, both_ways };
  Literals totals(const Literals& literals, std::uint64_t limit, Implied implied);

  int variables_ = 1;
  PollLimits poll_limits_;
  std::uint64_t clauses_ = 0;
  std::vector<Literal> data_;
  bool refuted_ = false, expects_model_ = false, needs_luck_ = false;
  Literals guesses_;
  std::vector<Derivation> derived_;
  std::optional<std::size_t> essential_;  ///< how much of data_ comes before the choice
  std::optional<std::uint64_t> essential_clauses_;
  std::vector<VariableName> names_;  ///< of the variables 2, 3, ...; kind is empty for own ones
};

/// The formula in DIMACS, with the meanings of its variables as comments.
std::string dimacs(const Formula& formula);
/// The formula in SMT-LIB, Boolean constants and assertions; `comment` goes before it.
std::string smtlib(const Formula& formula, std::string_view comment);

/// Exactly one of the literals is true.
inline void exactly_one(const Literals& literals, Formula& formula) {
  formula.add(literals);
  formula.at_most(literals, 1);
}

/// If one literal is true, two others are equal.
inline void equal_if(Literal condition, Literal x, Literal y, Formula& formula) {
  formula.add({-condition, -x, y});
  formula.add({-condition, x, -y});
}

/// If one literal is true, so is one of others.
inline void any_if(Literal condition, Literals others, Formula& formula) {
  others.push_back(-condition);
  formula.add(others);
}

}  // namespace schedcc::prover
