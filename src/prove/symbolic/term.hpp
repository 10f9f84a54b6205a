#pragma once

// Terms: numbers that record their computation as an expression. A kernel's formula
// (algorithm/kernel) called with terms in place of integers returns its expression, which can be
// evaluated, changed, and printed as SMT-LIB.
//
// A term represents a natural number. Printed as a *number* it is an SMT-LIB integer, without a
// bound; printed as a *word* it is a bit-vector of 64 bits with the arithmetic of std::uint64_t.
// Comparisons of terms decide which of the two (term_smtlib.cpp).

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace schedcc::prover {

enum class Op : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  bit_width,
  choose,  ///< condition, value if it holds, value if not
  // The following are true or false.
  less,
  equal,
  negation,
  conjunction,
  disjunction,
};

/// How a variable is printed by default; a small one (at most 2^16) can be both.
enum class Sort : std::uint8_t { number, word, small };

struct Node {
  Op op;
  std::uint64_t value = 0;   ///< constants; variables: their bound (below it), 0: none
  std::string name;          ///< variables
  Sort sort = Sort::number;  ///< variables
  std::vector<std::shared_ptr<const Node>> arguments;
};
using NodePtr = std::shared_ptr<const Node>;

class Term {
 public:
  Term(std::uint64_t value);  // NOLINT(google-explicit-constructor): a number like any other
  explicit Term(NodePtr node) : node_(std::move(node)) {}
  const NodePtr& node() const { return node_; }

 private:
  NodePtr node_;
};

/// A condition on terms.
class Condition {
 public:
  explicit Condition(bool value);
  explicit Condition(NodePtr node) : node_(std::move(node)) {}
  const NodePtr& node() const { return node_; }

 private:
  NodePtr node_;
};

/// A variable for the natural numbers below `bound` (0: all of them; words: all of 64 bits).
Term variable(std::string name, Sort sort = Sort::number, std::uint64_t bound = 0);

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator%(const Term& a, const Term& b);
Term operator<<(const Term& a, const Term& b);
Term operator>>(const Term& a, const Term& b);
Term operator&(const Term& a, const Term& b);
Term operator|(const Term& a, const Term& b);
Term operator^(const Term& a, const Term& b);
Term bit_width(const Term& a);
Term choose(const Condition& condition, const Term& yes, const Term& no);

Condition operator<(const Term& a, const Term& b);
Condition operator==(const Term& a, const Term& b);
Condition operator!(const Condition& a);
Condition operator&&(const Condition& a, const Condition& b);
Condition operator||(const Condition& a, const Condition& b);

/// Values of variables, by name.
using Values = std::map<std::string, std::uint64_t>;

/// The value, in the arithmetic of std::uint64_t (true is 1). x / 0 is 0, x % 0 is x, and shifts by
/// 64 or more give 0. InternalError if a variable has no value.
std::uint64_t evaluate(const NodePtr& node, const Values& values);
inline std::uint64_t evaluate(const Term& term, const Values& values) {
  return evaluate(term.node(), values);
}
inline bool evaluate(const Condition& condition, const Values& values) {
  return evaluate(condition.node(), values) != 0;
}

/// Terms for variables, by name.
using Substitution = std::map<std::string, Term>;
Term substitute(const Term& term, const Substitution& by);
Condition substitute(const Condition& condition, const Substitution& by);

}  // namespace schedcc::prover
