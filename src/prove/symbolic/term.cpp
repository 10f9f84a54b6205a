#include "prove/symbolic/term.hpp"

#include <bit>
#include <optional>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

std::uint64_t shifted_left(std::uint64_t a, std::uint64_t by) { return by < 64 ? a << by : 0; }

/// The result of an operation on values.
std::uint64_t operate(Op op, const std::vector<std::uint64_t>& a) {
  switch (op) {
    case Op::add:
      return a[0] + a[1];
    case Op::subtract:
      return a[0] - a[1];
    case Op::multiply:
      return a[0] * a[1];
    case Op::divide:
      return a[1] == 0 ? 0 : a[0] / a[1];
    case Op::modulo:
      return a[1] == 0 ? a[0] : a[0] % a[1];
    case Op::shift_left:
      return shifted_left(a[0], a[1]);
    case Op::shift_right:
      return a[1] < 64 ? a[0] >> a[1] : 0;
    case Op::bit_and:
      return a[0] & a[1];
    case Op::bit_or:
      return a[0] | a[1];
    case Op::bit_xor:
      return a[0] ^ a[1];
    case Op::bit_width:
      return static_cast<std::uint64_t>(std::bit_width(a[0]));
    case Op::choose:
      return a[0] != 0 ? a[1] : a[2];
    case Op::less:
      return a[0] < a[1] ? 1 : 0;
    case Op::equal:
      return a[0] == a[1] ? 1 : 0;
    case Op::negation:
      return a[0] == 0 ? 1 : 0;
    case Op::conjunction:
      return a[0] & a[1];
    case Op::disjunction:
      return a[0] | a[1];
    case Op::constant:
    case Op::variable:
      break;
  }
  throw InternalError("a term without an operation");
}

bool is_constant(const NodePtr& node) { return node->op == Op::constant; }
bool is(const NodePtr& node, std::uint64_t value) {
  return is_constant(node) && node->value == value;
}

NodePtr constant(std::uint64_t value) {
  return std::make_shared<const Node>(Node{Op::constant, value, {}, Sort::number, {}});
}

/// The argument that the operation simplifies to, if there is one: x + 0, x && true, ...
NodePtr trivial(Op op, const std::vector<NodePtr>& a) {
  if (op == Op::choose && is_constant(a[0])) return a[0]->value != 0 ? a[1] : a[2];
  if ((op == Op::add || op == Op::subtract) && is(a[1], 0)) return a[0];
  if (op == Op::add && is(a[0], 0)) return a[1];
  if (op == Op::multiply && is(a[0], 1)) return a[1];
  if ((op == Op::multiply || op == Op::divide) && is(a[1], 1)) return a[0];
  if (op == Op::modulo && is(a[1], 1)) return constant(0);
  for (std::size_t i = 0; i < 2 && (op == Op::conjunction || op == Op::disjunction); ++i) {
    if (is(a[i], op == Op::conjunction ? 1 : 0)) return a[1 - i];
    if (is_constant(a[i])) return a[i];
  }
  return nullptr;
}

NodePtr make(Op op, std::vector<NodePtr> arguments);

/// The largest value that is known, if it is below 2^32.
std::optional<std::uint64_t> most(const NodePtr& node) {
  std::optional<std::uint64_t> result;
  if (node->op == Op::constant) result = node->value;
  if (node->op == Op::variable && node->value > 0) result = node->value - 1;
  if (node->op == Op::modulo && is_constant(node->arguments[1]) && node->arguments[1]->value > 0) {
    result = node->arguments[1]->value - 1;
  }
  if (node->op == Op::add) {
    const auto a = most(node->arguments[0]), b = most(node->arguments[1]);
    if (a && b) result = *a + *b;
  }
  return result && *result >> 32U == 0 ? result : std::nullopt;
}

/// A sum of natural numbers as c times one, and another one.
struct Parts {
  NodePtr multiple, rest;
};

Parts parts(const NodePtr& node, std::uint64_t c) {
  const NodePtr zero = constant(0);
  if (node->op == Op::constant) return {constant(node->value / c), constant(node->value % c)};
  if (node->op == Op::add) {
    const Parts a = parts(node->arguments[0], c), b = parts(node->arguments[1], c);
    return {make(Op::add, {a.multiple, b.multiple}), make(Op::add, {a.rest, b.rest})};
  }
  for (std::size_t i = 0; i < 2 && node->op == Op::multiply; ++i) {
    const NodePtr& factor = node->arguments[i];
    if (is_constant(factor) && factor->value % c == 0) {
      return {make(Op::multiply, {node->arguments[1 - i], constant(factor->value / c)}), zero};
    }
  }
  return {zero, node};
}

/// (c m + x) / c = m + x / c, and (c m + x) % c = x % c, for an x with a known bound, which is
/// never negative; with x < c there is no division left.
NodePtr divided(Op op, const NodePtr& a, const NodePtr& by) {
  const Parts sum = parts(a, by->value);
  const auto largest = most(sum.rest);
  const bool small = largest && *largest < by->value;
  if (!largest || (is(sum.multiple, 0) && !small)) return nullptr;
  const NodePtr rest = !small             ? make(op, {sum.rest, by})
                       : op == Op::modulo ? sum.rest
                                          : constant(0);
  return op == Op::modulo ? rest : make(Op::add, {sum.multiple, rest});
}

/// Constants are folded, so that formulas at fixed parameters stay short. A negative difference is
/// not folded: as a number it is not a constant of 64 bits.
NodePtr make(Op op, std::vector<NodePtr> arguments) {
  if (NodePtr simple = trivial(op, arguments)) return simple;
  if ((op == Op::divide || op == Op::modulo) && is_constant(arguments[1]) &&
      arguments[1]->value > 0 && !is_constant(arguments[0])) {
    if (NodePtr shorter = divided(op, arguments[0], arguments[1])) return shorter;
  }
  std::vector<std::uint64_t> values;
  for (const NodePtr& argument : arguments) {
    if (is_constant(argument)) values.push_back(argument->value);
  }
  if (values.size() == arguments.size() && !(op == Op::subtract && values[0] < values[1])) {
    return constant(operate(op, values));
  }
  return std::make_shared<const Node>(Node{op, 0, {}, Sort::number, std::move(arguments)});
}

Term term(Op op, const Term& a, const Term& b) { return Term(make(op, {a.node(), b.node()})); }

class Substituter {
 public:
  explicit Substituter(const Substitution& by) : by_(by) {}

  NodePtr operator()(const NodePtr& node) {
    if (node->op == Op::constant) return node;
    if (node->op == Op::variable) {
      const auto found = by_.find(node->name);
      return found == by_.end() ? node : found->second.node();
    }
    NodePtr& result = done_[node.get()];
    if (result == nullptr) {
      std::vector<NodePtr> arguments;
      for (const NodePtr& argument : node->arguments) arguments.push_back((*this)(argument));
      result = make(node->op, std::move(arguments));
    }
    return result;
  }

 private:
  const Substitution& by_;
  std::map<const Node*, NodePtr> done_;
};

}  // namespace

Term::Term(std::uint64_t value) : node_(constant(value)) {}
Condition::Condition(bool value) : node_(constant(value ? 1 : 0)) {}

Term variable(std::string name, Sort sort, std::uint64_t bound) {
  return Term(std::make_shared<const Node>(Node{Op::variable, bound, std::move(name), sort, {}}));
}

Term operator+(const Term& a, const Term& b) { return term(Op::add, a, b); }
Term operator-(const Term& a, const Term& b) { return term(Op::subtract, a, b); }
Term operator*(const Term& a, const Term& b) { return term(Op::multiply, a, b); }
Term operator/(const Term& a, const Term& b) { return term(Op::divide, a, b); }
Term operator%(const Term& a, const Term& b) { return term(Op::modulo, a, b); }
Term operator<<(const Term& a, const Term& b) { return term(Op::shift_left, a, b); }
Term operator>>(const Term& a, const Term& b) { return term(Op::shift_right, a, b); }
Term operator&(const Term& a, const Term& b) { return term(Op::bit_and, a, b); }
Term operator|(const Term& a, const Term& b) { return term(Op::bit_or, a, b); }
Term operator^(const Term& a, const Term& b) { return term(Op::bit_xor, a, b); }
Term bit_width(const Term& a) { return Term(make(Op::bit_width, {a.node()})); }
Term choose(const Condition& condition, const Term& yes, const Term& no) {
  return Term(make(Op::choose, {condition.node(), yes.node(), no.node()}));
}

Condition operator<(const Term& a, const Term& b) {
  return Condition(make(Op::less, {a.node(), b.node()}));
}
Condition operator==(const Term& a, const Term& b) {
  return Condition(make(Op::equal, {a.node(), b.node()}));
}
Condition operator!(const Condition& a) { return Condition(make(Op::negation, {a.node()})); }
Condition operator&&(const Condition& a, const Condition& b) {
  return Condition(make(Op::conjunction, {a.node(), b.node()}));
}
Condition operator||(const Condition& a, const Condition& b) {
  return Condition(make(Op::disjunction, {a.node(), b.node()}));
}

std::uint64_t evaluate(const NodePtr& node, const Values& values) {
  if (node->op == Op::constant) return node->value;
  if (node->op == Op::variable) {
    const auto found = values.find(node->name);
    if (found == values.end()) throw InternalError("variable '" + node->name + "' has no value");
    return found->second;
  }
  std::vector<std::uint64_t> arguments;
  for (const NodePtr& argument : node->arguments) arguments.push_back(evaluate(argument, values));
  return operate(node->op, arguments);
}

Term substitute(const Term& term, const Substitution& by) {
  return Term(Substituter(by)(term.node()));
}

Condition substitute(const Condition& condition, const Substitution& by) {
  return Condition(Substituter(by)(condition.node()));
}

}  // namespace schedcc::prover
