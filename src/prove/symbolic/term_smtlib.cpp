// Printing terms as SMT-LIB.
//
// A term can be printed as an integer (number) or as a bit-vector of 64 bits (word). Bit operations
// need words, unbounded steps and packets need numbers; solvers are slow on formulas with both. So
// a comparison is printed on words if one side has bit operations, or if the difference of the two
// sides, after cancellation of common terms, is small and not negative; else on numbers. One rule
// converts: x mod c, for a linear x, is a word even if x has parts without a bound, as long as
// their coefficients are multiples of c, which change nothing. A variable that is printed in both
// ways is declared twice, and an assertion ties the two together.
//
// Every operation gets a name, equal ones the same, so that the length of a query is that of the
// term as a graph. The names are bound by nested `let`s, in the order in which they depend on each
// other, around one assertion: Z3 4.8 takes up to thirty times as long to parse them as definitions
// (define-fun).

#include "prove/symbolic/term_smtlib.hpp"

#include <map>

#include <fmt/format.h>

#include "prove/symbolic/term_sums.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

class Printer {
 public:
  explicit Printer(bool opaque = false) : opaque_(opaque) {}
  std::string condition(const NodePtr& node);

  std::string declarations() const;
  /// That all of these hold, where the names of the operations are bound.
  std::string assertion(const std::vector<std::string>& asserted) const;
  bool numbers() const { return numbers_; }

 private:
  std::string number(const NodePtr& node);
  std::string word(const NodePtr& node);
  std::string word(const Linear& sum);
  std::string word_modulo(const NodePtr& node);
  std::string compare(const NodePtr& node);
  void add(std::map<std::string, NodePtr>& variables, const NodePtr& node);
  std::string width(const NodePtr& argument, bool as_word);
  std::string define(const char* sort, const std::string& text);
  std::string call(const char* sort, const char* name, const NodePtr& node,
                   std::string (Printer::*print)(const NodePtr&));

  Terms terms_;
  std::map<std::string, NodePtr> number_variables_, word_variables_;
  std::map<std::string, std::string> names_;  ///< operations, by sort and text
  std::string bindings_;                      ///< of the names, a line each
  bool opaque_, products_ = false;
  bool numbers_ = false;  ///< is something printed as a number?
};

std::string Printer::define(const char* sort, const std::string& text) {
  std::string& name = names_[std::string(sort) + text];
  if (name.empty()) {
    name = fmt::format("e{}", names_.size());
    bindings_ += fmt::format(" (let (({} {}))\n", name, text);
  }
  return name;
}

std::string Printer::call(const char* sort, const char* name, const NodePtr& node,
                          std::string (Printer::*print)(const NodePtr&)) {
  std::string text = fmt::format("({}", name);
  for (const NodePtr& argument : node->arguments) {
    text += ' ';
    text += (this->*print)(argument);
  }
  return define(sort, text + ")");
}

void Printer::add(std::map<std::string, NodePtr>& variables, const NodePtr& node) {
  if (variables.emplace(node->name, node).first->second->value != node->value) {
    throw InternalError(fmt::format("there are two variables '{}'", node->name));
  }
}

/// bit_width by comparisons with the powers of two.
std::string Printer::width(const NodePtr& argument, bool as_word) {
  const bool on_words = as_word || is_word_operation(argument) || terms_.small(argument);
  const std::string x = on_words ? word(argument) : number(argument);
  std::string text = as_word ? "(_ bv64 64)" : "64";
  for (std::uint64_t i = 64; i-- > 0;) {
    const std::uint64_t power = std::uint64_t{1} << i;
    const std::string below = on_words ? fmt::format("(bvult {} (_ bv{} 64))", x, power)
                                       : fmt::format("(< {} {})", x, power);
    text = fmt::format(fmt::runtime(as_word ? "(ite {} (_ bv{} 64) {})" : "(ite {} {} {})"), below,
                       i, text);
  }
  return text;
}

std::string Printer::number(const NodePtr& node) {
  static constexpr const char* sort = "Int";
  numbers_ = true;
  switch (node->op) {
    case Op::constant:
      return fmt::format("{}", node->value);
    case Op::variable:
      add(number_variables_, node);
      return node->name;
    case Op::add:
      return call(sort, "+", node, &Printer::number);
    case Op::subtract:
      return call(sort, "-", node, &Printer::number);
    case Op::multiply:
      if (opaque_ && node->arguments[0]->op != Op::constant &&
          node->arguments[1]->op != Op::constant) {
        products_ = true;
        return call(sort, "product", node, &Printer::number);
      }
      return call(sort, "*", node, &Printer::number);
    case Op::divide:
      return call(sort, "div", node, &Printer::number);
    case Op::modulo:
      return call(sort, "mod", node, &Printer::number);
    case Op::bit_width:
      return define(sort, width(node->arguments[0], false));
    case Op::choose:
      return define(sort, fmt::format("(ite {} {} {})", condition(node->arguments[0]),
                                      number(node->arguments[1]), number(node->arguments[2])));
    default:
      return define(sort, fmt::format("(bv2nat {})", word(node)));
  }
}

std::string Printer::word(const Linear& sum) {
  std::string text = fmt::format("(bvadd (_ bv{} 64)", sum.constant);
  for (const auto& [id, coefficient] : sum.terms) {
    text += fmt::format(" (bvmul (_ bv{} 64) {})", static_cast<std::uint64_t>(coefficient),
                        word(terms_.node(id)));
  }
  return define("(_ BitVec 64)",
                sum.terms.empty() ? fmt::format("(_ bv{} 64)", sum.constant) : text + ")");
}

std::string Printer::word_modulo(const NodePtr& node) {
  const auto rest = terms_.reduced(node);
  if (!rest && is_word_operation(node->arguments[0])) {
    return call("(_ BitVec 64)", "bvurem", node, &Printer::word);
  }
  if (!rest) return define("(_ BitVec 64)", fmt::format("((_ int2bv 64) {})", number(node)));
  const std::uint64_t c = node->arguments[1]->value;
  auto most = static_cast<std::uint64_t>(rest->constant);
  for (const auto& [id, coefficient] : rest->terms) {
    if (coefficient > 0)
      most += static_cast<std::uint64_t>(coefficient) * *terms_.small(terms_.node(id));
  }
  std::string x = word(*rest);
  if (most < c) return x;
  const char* const form = most < 2 * c
                               ? "(ite (bvult {0} (_ bv{1} 64)) {0} (bvsub {0} (_ bv{1} 64)))"
                               : "(bvurem {0} (_ bv{1} 64))";
  return define("(_ BitVec 64)", fmt::format(fmt::runtime(form), x, c));
}

std::string Printer::word(const NodePtr& node) {
  static constexpr const char* sort = "(_ BitVec 64)";
  switch (node->op) {
    case Op::constant:
      return fmt::format("(_ bv{} 64)", node->value);
    case Op::variable:
      if (node->sort == Sort::number && node->value == 0) {
        return define(sort, fmt::format("((_ int2bv 64) {})", number(node)));
      }
      add(word_variables_, node);
      return node->name + ".w";
    case Op::add:
      return call(sort, "bvadd", node, &Printer::word);
    case Op::subtract:
      return call(sort, "bvsub", node, &Printer::word);
    case Op::multiply:
      return call(sort, "bvmul", node, &Printer::word);
    case Op::divide:
      return call(sort, "bvudiv", node, &Printer::word);
    case Op::modulo:
      return word_modulo(node);
    case Op::shift_left:
      return call(sort, "bvshl", node, &Printer::word);
    case Op::shift_right:
      return call(sort, "bvlshr", node, &Printer::word);
    case Op::bit_and:
      return call(sort, "bvand", node, &Printer::word);
    case Op::bit_or:
      return call(sort, "bvor", node, &Printer::word);
    case Op::bit_xor:
      return call(sort, "bvxor", node, &Printer::word);
    case Op::bit_width:
      return define(sort, width(node->arguments[0], true));
    case Op::choose:
      return define(sort, fmt::format("(ite {} {} {})", condition(node->arguments[0]),
                                      word(node->arguments[1]), word(node->arguments[2])));
    default:
      throw InternalError("a condition is used as a number");
  }
}

std::string Printer::compare(const NodePtr& node) {
  const bool less = node->op == Op::less;
  const NodePtr &a = node->arguments[0], &b = node->arguments[1];
  Linear difference = terms_.linear(a);
  difference.add(terms_.linear(b), -1);
  if (difference.terms.empty()) {
    return (less ? difference.constant < 0 : difference.constant == 0) ? "true" : "false";
  }
  if (is_word_operation(a) || is_word_operation(b)) {
    return call("Bool", less ? "bvult" : "=", node, &Printer::word);
  }
  Linear sides[2];  // added and subtracted terms
  sides[difference.constant < 0 ? 1 : 0].constant = std::abs(difference.constant);
  for (const auto& [id, coefficient] : difference.terms) {
    const bool short_enough = std::abs(coefficient) < std::int64_t{1} << 32;
    if (!short_enough || !terms_.small(terms_.node(id)))
      return call("Bool", less ? "<" : "=", node, &Printer::number);
    sides[coefficient < 0 ? 1 : 0].terms[id] = std::abs(coefficient);
  }
  return define("Bool",
                fmt::format("({} {} {})", less ? "bvult" : "=", word(sides[0]), word(sides[1])));
}

std::string Printer::condition(const NodePtr& node) {
  switch (node->op) {
    case Op::constant:
      return node->value != 0 ? "true" : "false";
    case Op::less:
    case Op::equal:
      return compare(node);
    case Op::negation:
      return call("Bool", "not", node, &Printer::condition);
    case Op::conjunction:
      return call("Bool", "and", node, &Printer::condition);
    case Op::disjunction:
      return call("Bool", "or", node, &Printer::condition);
    default:
      throw InternalError("a number is used as a condition");
  }
}

std::string Printer::declarations() const {
  std::string text = products_ ? "(declare-fun product (Int Int) Int)\n" : "";
  for (const auto& [name, node] : number_variables_) {
    text += fmt::format("(declare-const {0} Int)\n(assert (<= 0 {0}))\n", name);
    if (node->value > 0) text += fmt::format("(assert (< {} {}))\n", name, node->value);
  }
  for (const auto& [name, node] : word_variables_) {
    text += fmt::format("(declare-const {}.w (_ BitVec 64))\n", name);
    if (node->value > 0) {
      text += fmt::format("(assert (bvult {}.w (_ bv{} 64)))\n", name, node->value);
    }
    if (number_variables_.contains(name))
      text += fmt::format("(assert (= {0} (bv2nat {0}.w)))\n", name);
  }
  return text;
}

std::string Printer::assertion(const std::vector<std::string>& asserted) const {
  if (asserted.empty()) return "";
  std::string all = fmt::format("{}", fmt::join(asserted, " "));
  if (asserted.size() > 1) all = fmt::format("(and {})", all);
  return fmt::format("(assert\n{}  {}{})\n", bindings_, all, std::string(names_.size(), ')'));
}

void flatten(const NodePtr& node, std::vector<Condition>& parts) {
  if (node->op == Op::conjunction) {
    for (const NodePtr& argument : node->arguments) flatten(argument, parts);
  } else if (node->op != Op::constant || node->value == 0) {
    parts.emplace_back(node);
  }
}

std::vector<Condition> parts(const std::vector<Condition>& conditions) {
  std::vector<Condition> result;
  for (const Condition& condition : conditions) flatten(condition.node(), result);
  return result;
}

}  // namespace

TermQuery smtlib(const std::vector<Condition>& conditions, const std::string& comment,
                 bool opaque) {
  Printer printer(opaque);
  std::vector<std::string> asserted;
  for (const Condition& part : parts(conditions))
    asserted.push_back(printer.condition(part.node()));
  const std::string logic = printer.numbers() ? "" : "QF_BV";
  return {fmt::format("{}(set-logic {})\n{}{}(check-sat)\n", comment, logic.empty() ? "ALL" : logic,
                      printer.declarations(), printer.assertion(asserted)),
          logic};
}

namespace {

/// The parts that are printed with numbers, or without them.
std::vector<Condition> select(const std::vector<Condition>& conditions, bool numbers) {
  std::vector<Condition> result;
  for (const Condition& part : parts(conditions)) {
    Printer printer;
    printer.condition(part.node());
    if (printer.numbers() == numbers) result.push_back(part);
  }
  return result;
}

}  // namespace

std::vector<Condition> on_words(const std::vector<Condition>& conditions) {
  return select(conditions, false);
}

std::vector<Condition> on_numbers(const std::vector<Condition>& conditions) {
  return select(conditions, true);
}

}  // namespace schedcc::prover
