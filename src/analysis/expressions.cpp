#include "analysis/expressions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedcc/error.hpp"

namespace schedcc {

Expressions::Id Expressions::append(const Node& node) {
  if (nodes_.size() == IdIndex::none) throw LimitError("there are 2^32 different sums or more");
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size() - 1);
}

Expressions::Id Expressions::only(Rank rank) {
  Id& id = single_[rank];
  if (id == unset) id = append({rank, unset});
  return id;
}

Expressions::Id Expressions::add(Id a, Id b) {
  if (a == empty) return b;
  if (b == empty) return a;
  const Node sum{std::min(a, b), std::max(a, b)};
  const auto hash = [](const Node& node) { return IdIndex::mix(node[0], node[1]); };
  const Id known = sums_.find(hash(sum), [&](Id id) { return nodes_[id] == sum; });
  if (known != IdIndex::none) return known;
  const Id added = append(sum);
  sums_.add(added, [&](Id id) { return hash(nodes_[id]); });
  return added;
}

Expressions::Id Expressions::add_together(std::span<const Id> operands, Rank adder) {
  const auto held =
      static_cast<std::size_t>(std::ranges::count_if(operands, [](Id id) { return id != empty; }));
  if (held <= 2) {
    Id sum = empty;
    for (const Id operand : operands) sum = add(sum, operand);
    return sum;
  }
  const std::size_t place = lists_.size();
  if (place >= UINT32_MAX) throw LimitError("there are 2^32 operands of sums or more");
  lists_.push_back(adder);
  lists_.push_back(static_cast<std::uint32_t>(held));
  std::ranges::copy_if(operands, std::back_inserter(lists_), [](Id id) { return id != empty; });
  return append({static_cast<std::uint32_t>(place), empty});
}

std::span<const Expressions::Id> Expressions::operands(Id id) const {
  const Node& node = nodes_[id];
  if (!is_unordered(id)) return node;
  const std::size_t place = node[0];
  return std::span(lists_).subspan(place + 2, lists_[place + 1]);
}

}  // namespace schedcc
