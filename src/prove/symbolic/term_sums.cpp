#include "prove/symbolic/term_sums.hpp"

namespace schedcc::prover {

namespace {

constexpr std::uint64_t small_bound = std::uint64_t{1} << 16;

}  // namespace

std::size_t Terms::id(const NodePtr& node) {
  const auto found = known_.find(node.get());
  if (found != known_.end()) return found->second;
  Identity identity{node->op, node->value, node->name, {}};
  for (const NodePtr& argument : node->arguments) std::get<3>(identity).push_back(id(argument));
  const auto [entry, added] = ids_.emplace(std::move(identity), nodes_.size());
  if (added) nodes_.push_back(node);
  kept_.push_back(node);
  return known_[node.get()] = entry->second;
}

bool is_word_operation(const NodePtr& node) {
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
      return is_word_operation(node->arguments[0]) || is_word_operation(node->arguments[1]);
    case Op::choose:
      return is_word_operation(node->arguments[1]) || is_word_operation(node->arguments[2]);
    default:
      return false;
  }
}

std::optional<std::uint64_t> Terms::small(const NodePtr& node) {
  if (node->op == Op::constant && node->value < small_bound) return node->value;
  if (node->op == Op::variable && node->sort == Sort::small) return node->value - 1;
  if (node->op == Op::bit_width) {
    const NodePtr& argument = node->arguments[0];
    if (is_word_operation(argument) || small(argument)) return 64;
  }
  if (node->op == Op::modulo && reduced(node)) return node->arguments[1]->value - 1;
  return std::nullopt;
}

Linear Terms::linear(const NodePtr& node) {
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

std::optional<Linear> Terms::reduced(const NodePtr& modulo) {
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

}  // namespace schedcc::prover
