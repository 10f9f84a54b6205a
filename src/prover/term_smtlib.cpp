// Printing terms as SMT-LIB.
//
// A term can be printed as an integer (number) or as a bit-vector of 64 bits (word). Bit operations
// ask for words, steps and packets without a bound for numbers; solvers are slow where both meet.
// So a comparison is printed on words if one side has bit operations, or if what is left of the two
// sides, after everything that they have in common has cancelled, is small and not negative; else
// on numbers. One rule reaches across: x mod c, for a linear x, is a word even if x has parts
// without a bound, as long as their coefficients are multiples of c, which change nothing. A
// variable that is printed in both ways is declared twice, and an assertion ties the two together.
//
// Every operation becomes a definition, equal ones the same, so that a query is as long as the term
// is as a graph.

#include "prover/term_smtlib.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

constexpr std::uint64_t small_bound = std::uint64_t{1} << 16;

/// A sum of multiples of terms. Differences may be negative.
struct Linear {
  std::map<std::size_t, std::int64_t> terms;  ///< coefficients by the terms' identities
  std::int64_t constant = 0;

  void add(const Linear& other, std::int64_t factor) {
    for (const auto& [id, coefficient] : other.terms) {
      if ((terms[id] += coefficient * factor) == 0) terms.erase(id);
    }
    constant += other.constant * factor;
  }
};

class Printer {
 public:
  explicit Printer(bool opaque = false) : opaque_(opaque) {}
  std::string truth(const NodePtr& node);

  std::string declarations() const;
  const std::string& definitions() const { return definitions_; }
  bool numbers() const { return numbers_; }
  bool words() const { return words_; }

 private:
  std::size_t id(const NodePtr& node);
  const NodePtr& node(std::size_t id) const { return nodes_[id]; }

  bool wants_word(const NodePtr& node);
  std::optional<std::uint64_t> small(const NodePtr& node);
  Linear linear(const NodePtr& node);
  std::optional<Linear> reduced(const NodePtr& modulo);

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

  using Identity = std::tuple<Op, std::uint64_t, std::string, std::vector<std::size_t>>;
  std::map<const Node*, std::size_t> known_;
  std::map<Identity, std::size_t> ids_;
  std::vector<NodePtr> nodes_;
  std::vector<NodePtr> kept_;  ///< so that no address in known_ is used again
  std::map<std::string, NodePtr> number_variables_, word_variables_;
  std::map<std::string, std::string> names_;  ///< definitions, by sort and text
  std::string definitions_;
  bool opaque_, products_ = false;
  bool numbers_ = false, words_ = false;
};

std::size_t Printer::id(const NodePtr& node) {
  const auto found = known_.find(node.get());
  if (found != known_.end()) return found->second;
  Identity identity{node->op, node->value, node->name, {}};
  for (const NodePtr& argument : node->arguments) std::get<3>(identity).push_back(id(argument));
  const auto [entry, added] = ids_.emplace(std::move(identity), nodes_.size());
  if (added) nodes_.push_back(node);
  kept_.push_back(node);
  return known_[node.get()] = entry->second;
}

/// Is it the result of bit operations?
bool Printer::wants_word(const NodePtr& node) {
  switch (node->op) {
    case Op::shift_left:
    case Op::shift_right:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      return true;
    case Op::variable:
      return node->sort == Sort::word;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
      return wants_word(node->arguments[0]) || wants_word(node->arguments[1]);
    case Op::choose:
      return wants_word(node->arguments[1]) || wants_word(node->arguments[2]);
    default:
      return false;
  }
}

/// The largest value of a term that is small whatever its variables are, and can be a word.
std::optional<std::uint64_t> Printer::small(const NodePtr& node) {
  if (node->op == Op::constant && node->value < small_bound) return node->value;
  if (node->op == Op::variable && node->sort == Sort::small) return node->value - 1;
  if (node->op == Op::bit_width) {
    const NodePtr& argument = node->arguments[0];
    if (wants_word(argument) || small(argument)) return 64;
  }
  if (node->op == Op::modulo && reduced(node)) return node->arguments[1]->value - 1;
  return std::nullopt;
}

Linear Printer::linear(const NodePtr& node) {
  Linear result;
  const auto constant = [](const NodePtr& n) {
    return n->op == Op::constant && n->value < (std::uint64_t{1} << 62);
  };
  if (constant(node)) {
    result.constant = static_cast<std::int64_t>(node->value);
  } else if (node->op == Op::add || node->op == Op::subtract) {
    result = linear(node->arguments[0]);
    result.add(linear(node->arguments[1]), node->op == Op::add ? 1 : -1);
  } else if (node->op == Op::multiply &&
             (constant(node->arguments[0]) || constant(node->arguments[1]))) {
    const bool first = constant(node->arguments[0]);
    result.add(linear(node->arguments[first ? 1 : 0]),
               static_cast<std::int64_t>(node->arguments[first ? 0 : 1]->value));
  } else {
    result.terms[id(node)] = 1;
  }
  return result;
}

/// The argument of a modulo by a small constant, less multiples of that: never negative, with small
/// terms alone; nothing if that is not possible.
std::optional<Linear> Printer::reduced(const NodePtr& modulo) {
  const NodePtr& by = modulo->arguments[1];
  if (by->op != Op::constant || by->value == 0 || by->value >= small_bound) return std::nullopt;
  const auto c = static_cast<std::int64_t>(by->value);
  Linear result;
  std::int64_t least = 0;
  const Linear argument = linear(modulo->arguments[0]);
  for (const auto& [id, coefficient] : argument.terms) {
    std::int64_t rest = coefficient % c;
    if (rest == 0) continue;
    if (rest > c / 2) rest -= c;
    if (rest < -(c / 2)) rest += c;
    const auto most = small(node(id));
    if (!most) return std::nullopt;
    result.terms[id] = rest;
    if (rest < 0) least += rest * static_cast<std::int64_t>(*most);
  }
  result.constant = argument.constant % c;
  while (result.constant + least < 0) result.constant += c;
  return result;
}

std::string Printer::define(const char* sort, const std::string& text) {
  std::string& name = names_[std::string(sort) + text];
  if (name.empty()) {
    name = fmt::format("e{}", names_.size());
    definitions_ += fmt::format("(define-fun {} () {} {})\n", name, sort, text);
  }
  return name;
}

std::string Printer::call(const char* sort, const char* name, const NodePtr& node,
                          std::string (Printer::*print)(const NodePtr&)) {
  std::string text = fmt::format("({}", name);
  for (const NodePtr& argument : node->arguments) text += " " + (this->*print)(argument);
  return define(sort, text + ")");
}

void Printer::add(std::map<std::string, NodePtr>& variables, const NodePtr& node) {
  if (variables.emplace(node->name, node).first->second->value != node->value) {
    throw InternalError(fmt::format("there are two variables '{}'", node->name));
  }
}

/// bit_width by comparisons with the powers of two.
std::string Printer::width(const NodePtr& argument, bool as_word) {
  const bool on_words = as_word || wants_word(argument) || small(argument);
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
      return define(sort, fmt::format("(ite {} {} {})", truth(node->arguments[0]),
                                      number(node->arguments[1]), number(node->arguments[2])));
    default:
      return define(sort, fmt::format("(bv2nat {})", word(node)));
  }
}

std::string Printer::word(const Linear& sum) {
  std::string text = fmt::format("(bvadd (_ bv{} 64)", sum.constant);
  for (const auto& [id, coefficient] : sum.terms) {
    text += fmt::format(" (bvmul (_ bv{} 64) {})", static_cast<std::uint64_t>(coefficient),
                        word(node(id)));
  }
  return define("(_ BitVec 64)",
                sum.terms.empty() ? fmt::format("(_ bv{} 64)", sum.constant) : text + ")");
}

std::string Printer::word_modulo(const NodePtr& node) {
  const auto rest = reduced(node);
  if (!rest && wants_word(node->arguments[0])) {
    return call("(_ BitVec 64)", "bvurem", node, &Printer::word);
  }
  if (!rest) return define("(_ BitVec 64)", fmt::format("((_ int2bv 64) {})", number(node)));
  const std::uint64_t c = node->arguments[1]->value;
  auto most = static_cast<std::uint64_t>(rest->constant);
  for (const auto& [id, coefficient] : rest->terms) {
    if (coefficient > 0) most += static_cast<std::uint64_t>(coefficient) * *small(this->node(id));
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
  words_ = true;
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
      return define(sort, fmt::format("(ite {} {} {})", truth(node->arguments[0]),
                                      word(node->arguments[1]), word(node->arguments[2])));
    default:
      throw InternalError("a condition stands where a number belongs");
  }
}

std::string Printer::compare(const NodePtr& node) {
  const bool less = node->op == Op::less;
  const NodePtr &a = node->arguments[0], &b = node->arguments[1];
  Linear difference = linear(a);
  difference.add(linear(b), -1);
  if (difference.terms.empty()) {
    return (less ? difference.constant < 0 : difference.constant == 0) ? "true" : "false";
  }
  if (wants_word(a) || wants_word(b)) {
    return call("Bool", less ? "bvult" : "=", node, &Printer::word);
  }
  Linear sides[2];  // what is added, and what is taken away
  sides[difference.constant < 0 ? 1 : 0].constant = std::abs(difference.constant);
  for (const auto& [id, coefficient] : difference.terms) {
    const bool short_enough = std::abs(coefficient) < std::int64_t{1} << 32;
    if (!short_enough || !small(this->node(id)))
      return call("Bool", less ? "<" : "=", node, &Printer::number);
    sides[coefficient < 0 ? 1 : 0].terms[id] = std::abs(coefficient);
  }
  return define("Bool",
                fmt::format("({} {} {})", less ? "bvult" : "=", word(sides[0]), word(sides[1])));
}

std::string Printer::truth(const NodePtr& node) {
  switch (node->op) {
    case Op::constant:
      return node->value != 0 ? "true" : "false";
    case Op::less:
    case Op::equal:
      return compare(node);
    case Op::negation:
      return call("Bool", "not", node, &Printer::truth);
    case Op::conjunction:
      return call("Bool", "and", node, &Printer::truth);
    case Op::disjunction:
      return call("Bool", "or", node, &Printer::truth);
    default:
      throw InternalError("a number stands where a condition belongs");
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

void flatten(const NodePtr& node, std::vector<Truth>& parts) {
  if (node->op == Op::conjunction) {
    for (const NodePtr& argument : node->arguments) flatten(argument, parts);
  } else if (node->op != Op::constant || node->value == 0) {
    parts.emplace_back(node);
  }
}

std::vector<Truth> parts(const std::vector<Truth>& conditions) {
  std::vector<Truth> result;
  for (const Truth& condition : conditions) flatten(condition.node(), result);
  return result;
}

}  // namespace

TermQuery smtlib(const std::vector<Truth>& conditions, const std::string& comment, bool opaque) {
  Printer printer(opaque);
  std::string assertions;
  for (const Truth& part : parts(conditions)) {
    assertions += fmt::format("(assert {})\n", printer.truth(part.node()));
  }
  const std::string logic = !printer.numbers() ? "QF_BV" : "";
  return {
      fmt::format("{}(set-logic {})\n{}{}{}(check-sat)\n", comment, logic.empty() ? "ALL" : logic,
                  printer.declarations(), printer.definitions(), assertions),
      logic};
}

namespace {

/// The parts that are printed with numbers, or without.
std::vector<Truth> select(const std::vector<Truth>& conditions, bool numbers) {
  std::vector<Truth> result;
  for (const Truth& part : parts(conditions)) {
    Printer printer;
    printer.truth(part.node());
    if (printer.numbers() == numbers) result.push_back(part);
  }
  return result;
}

}  // namespace

std::vector<Truth> on_words(const std::vector<Truth>& conditions) {
  return select(conditions, false);
}

std::vector<Truth> on_numbers(const std::vector<Truth>& conditions) {
  return select(conditions, true);
}

}  // namespace schedcc::prover
