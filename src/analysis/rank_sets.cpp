#include "analysis/rank_sets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

void append(Intervals& set, const RankInterval& more) {
  if (!set.empty() && more.first <= std::uint64_t{set.back().last} + 1) {
    set.back().last = std::max(set.back().last, more.last);
  } else {
    set.push_back(more);
  }
}

Intervals intervals_of(std::vector<Rank> ranks) {
  Intervals result;
  std::ranges::sort(ranks);
  for (const Rank rank : ranks) append(result, {rank, rank});
  return result;
}

std::string in_digits(const RankInterval& ranks) {
  return ranks.first == ranks.last ? fmt::format("{}", ranks.first)
                                   : fmt::format("{}-{}", ranks.first, ranks.last);
}

std::string in_words(const Intervals& ranks) {
  if (ranks.size() == 1 && ranks[0].first == ranks[0].last) {
    return fmt::format("rank {}", ranks[0].first);
  }
  std::string text;
  for (const RankInterval& some : ranks) {
    if (text.size() > 40) return fmt::format("ranks {}, ...", text);
    if (!text.empty()) text += ", ";
    text += in_digits(some);
  }
  return fmt::format("ranks {}", text);
}

Intervals unite(std::span<const RankInterval> a, std::span<const RankInterval> b) {
  Intervals result;
  result.reserve(a.size() + b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();) {
    const bool from_a = j == b.end() || (i != a.end() && i->first < j->first);
    append(result, from_a ? *i++ : *j++);
  }
  return result;
}

Intervals intersect(std::span<const RankInterval> a, std::span<const RankInterval> b) {
  Intervals result;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const Rank first = std::max(i->first, j->first);
    const Rank last = std::min(i->last, j->last);
    if (first <= last) result.push_back({first, last});
    (i->last < j->last ? i : j)++;
  }
  return result;
}

Intervals subtract(std::span<const RankInterval> a, std::span<const RankInterval> b) {
  Intervals result;
  auto hole = b.begin();
  for (const RankInterval& whole : a) {
    std::uint64_t first = whole.first;
    while (hole != b.end() && hole->last < first) ++hole;
    for (auto h = hole; h != b.end() && h->first <= whole.last; ++h) {
      if (first < h->first) result.push_back({static_cast<Rank>(first), h->first - 1});
      first = std::uint64_t{h->last} + 1;
    }
    if (first <= whole.last) result.push_back({static_cast<Rank>(first), whole.last});
  }
  return result;
}

RankSets::RankSets() : lists_(1), nodes_(1 + levels) {
  for (unsigned level = 0; level < levels; ++level) {
    const Diagram half = level == 0 ? 0 : full(level - 1);
    nodes_[full(level)] = {half, half, 1, static_cast<std::uint8_t>(level), true, true};
  }
}

RankSets::Id RankSets::of(std::span<const RankInterval> intervals) {
  if (intervals.size() <= few) return listed({intervals.begin(), intervals.end()});
  const auto level = static_cast<unsigned>(std::bit_width(intervals.back().last));
  return number(apply(Operation::unite, Diagram{0}, {intervals, false}, 0, level));
}

std::uint64_t RankSets::size(Id set) const {
  return (set & is_diagram) != 0 ? nodes_[set ^ is_diagram].intervals : lists_[set].size();
}

Intervals RankSets::intervals(Id set, std::size_t most) const {
  Intervals result;
  if ((set & is_diagram) != 0) {
    list(set ^ is_diagram, 0, most, result);
  } else {
    result = lists_[set];
  }
  result.resize(std::min(result.size(), most));
  return result;
}

RankInterval RankSets::hull(Id set) const {
  if ((set & is_diagram) == 0) return {lists_[set].front().first, lists_[set].back().last};
  std::uint64_t first = 0, last = 0;
  for (Diagram d = set ^ is_diagram; d != full(0);) {
    const Node& here = nodes_[d];
    if (here.low == 0) first += std::uint64_t{1} << (here.level - 1);
    d = here.low != 0 ? here.low : here.high;
  }
  for (Diagram d = set ^ is_diagram; d != full(0); d = nodes_[d].high)
    last += std::uint64_t{1} << (nodes_[d].level - 1);
  return {static_cast<Rank>(first), static_cast<Rank>(last)};
}

/// The number of a set of few intervals.
RankSets::Id RankSets::listed(Intervals intervals) {
  if (intervals.empty()) return empty;
  const auto hash = [](const Intervals& list) {
    std::uint64_t result = list.size();
    for (const RankInterval& i : list)
      result = IdIndex::mix(result, std::uint64_t{i.first} << 32 | i.last);
    return result;
  };
  const Id known =
      list_index_.find(hash(intervals), [&](Id id) { return lists_[id] == intervals; });
  if (known != IdIndex::none) return known;
  if (lists_.size() == is_diagram) throw InternalError("too many sets of ranks");
  lists_.push_back(std::move(intervals));
  const auto added = static_cast<Id>(lists_.size() - 1);
  list_index_.add(added, [&](Id id) { return hash(lists_[id]); });
  return added;
}

/// The number of a set that has a diagram, but perhaps few intervals.
RankSets::Id RankSets::number(Diagram diagram) {
  if (nodes_[diagram].intervals > few) return diagram | is_diagram;
  Intervals intervals;
  list(diagram, 0, few, intervals);
  return listed(std::move(intervals));
}

RankSets::Id RankSets::combine(Operation operation, Id a, Id b) {
  if (a == b) return operation == Operation::subtract ? empty : a;
  const bool diagram_a = (a & is_diagram) != 0, diagram_b = (b & is_diagram) != 0;
  if (!diagram_a && !diagram_b) {
    const Intervals &left = lists_[a], &right = lists_[b];
    switch (operation) {
      case Operation::unite:
        return of(schedcc::unite(left, right));
      case Operation::intersect:
        return of(schedcc::intersect(left, right));
      default:
        return of(schedcc::subtract(left, right));
    }
  }
  if (diagram_a && diagram_b) return number(apply(operation, a ^ is_diagram, b ^ is_diagram));
  const Diagram diagram = (diagram_a ? a : b) ^ is_diagram;
  const Intervals& list = lists_[diagram_a ? b : a];
  const unsigned level = std::max<unsigned>(
      nodes_[diagram].level,
      list.empty() ? 0 : static_cast<unsigned>(std::bit_width(list.back().last)));
  return number(apply(operation, diagram, {list, diagram_b}, 0, level));
}

/// A node with these two halves, or its reduced form.
RankSets::Diagram RankSets::make(unsigned level, Diagram low, Diagram high) {
  if (high == 0) return low;
  if (low == full(level - 1) && high == low) return full(level);
  const auto hash = [](const Node& n) {
    return IdIndex::mix(std::uint64_t{n.low} << 32 | n.high, n.level);
  };
  const Node& below = nodes_[low];
  const Node& above = nodes_[high];
  const bool low_ends = low != 0 && below.level == level - 1 && below.has_last;
  Node made{low,
            high,
            below.intervals + above.intervals - (low_ends && above.has_first ? 1 : 0),
            static_cast<std::uint8_t>(level),
            below.has_first,
            above.level == level - 1 && above.has_last};
  const Diagram known = node_index_.find(hash(made), [&](Diagram d) {
    return nodes_[d].low == low && nodes_[d].high == high && nodes_[d].level == level;
  });
  if (known != IdIndex::none) return known;
  if (nodes_.size() == is_diagram) throw InternalError("too many sets of ranks");
  nodes_.push_back(made);
  const auto added = static_cast<Diagram>(nodes_.size() - 1);
  node_index_.add(added, [&](Diagram d) { return hash(nodes_[d]); });
  return added;
}

/// The ranks below 2^(level-1) of a diagram of that level or a lower one.
RankSets::Diagram RankSets::low(Diagram diagram, unsigned level) const {
  return nodes_[diagram].level < level ? diagram : nodes_[diagram].low;
}

/// The others, less 2^(level-1).
RankSets::Diagram RankSets::high(Diagram diagram, unsigned level) const {
  return nodes_[diagram].level < level ? 0 : nodes_[diagram].high;
}

/// The result of an operation if one side is full or empty.
std::optional<RankSets::Diagram> RankSets::at_once(Operation operation, Diagram a,
                                                   Diagram b) const {
  const auto covers = [&](Diagram whole, Diagram part) {
    return whole == part || part == 0 ||
           (whole != 0 && whole <= levels && nodes_[whole].level >= nodes_[part].level);
  };
  switch (operation) {
    case Operation::unite:
      if (covers(a, b)) return a;
      if (covers(b, a)) return b;
      break;
    case Operation::intersect:
      if (covers(a, b)) return b;
      if (covers(b, a)) return a;
      break;
    default:
      if (covers(b, a)) return Diagram{0};
      if (b == 0) return a;
  }
  return std::nullopt;
}

RankSets::Diagram RankSets::apply(Operation operation, Diagram a, Diagram b) {
  if (const auto result = at_once(operation, a, b)) return *result;
  if (operation != Operation::subtract && a > b) std::swap(a, b);
  const std::size_t place = cache_place(operation, a, b);
  if (const CacheEntry& known = cache_[place];
      known.a == a && known.b == b && known.operation == operation && known.a != known.b) {
    return known.result;
  }
  const unsigned level = std::max(nodes_[a].level, nodes_[b].level);
  const Diagram lower = apply(operation, low(a, level), low(b, level));
  const Diagram upper = apply(operation, high(a, level), high(b, level));
  const Diagram result = make(level, lower, upper);
  cache_[cache_place(operation, a, b)] = {a, b, result, operation};
  return result;
}

/// The same for the ranks base..base+2^level-1 of a list: without building a diagram of it.
RankSets::Diagram RankSets::apply(Operation operation, Diagram a, const RankList& b,
                                  std::uint64_t base, unsigned level) {
  const std::uint64_t end = base + (std::uint64_t{1} << level);
  std::optional<Diagram> same;  // the list, if it is simple
  if (b.intervals.empty()) {
    same = Diagram{0};
  } else if (b.intervals.front().first <= base && b.intervals.front().last >= end - 1) {
    same = full(level);
  }
  if (same) return b.left ? apply(operation, *same, a) : apply(operation, a, *same);
  if (a == 0 &&
      (operation == Operation::intersect || (operation == Operation::subtract && !b.left))) {
    return 0;
  }
  const std::uint64_t middle = base + (end - base) / 2;
  const auto split = std::ranges::partition_point(
      b.intervals, [&](const RankInterval& i) { return i.last < middle; });
  const bool crosses = split != b.intervals.end() && split->first < middle;
  const RankList below{{b.intervals.begin(), split + (crosses ? 1 : 0)}, b.left};
  const RankList above{{split, b.intervals.end()}, b.left};
  const Diagram lower = apply(operation, low(a, level), below, base, level - 1);
  const Diagram upper = apply(operation, high(a, level), above, middle, level - 1);
  return make(level, lower, upper);
}

/// The cache slot of an operation. The table grows with the diagrams, up to a limit.
std::size_t RankSets::cache_place(Operation operation, Diagram a, Diagram b) {
  constexpr std::size_t least = 1 << 10, most = 1 << 20;
  if (cache_.size() < most && cache_.size() < nodes_.size())
    cache_.assign(std::max(least, 2 * cache_.size()), {});
  const std::uint64_t hash =
      IdIndex::mix(std::uint64_t{a} << 32 | b, static_cast<std::uint64_t>(operation));
  return (hash >> 24) & (cache_.size() - 1);
}

/// Appends the intervals of a diagram, moved up by `base`, to a list, until it has more than
/// `most`.
void RankSets::list(Diagram diagram, std::uint64_t base, std::size_t most,
                    Intervals& result) const {
  if (diagram == 0 || result.size() > most) return;
  const Node& here = nodes_[diagram];
  if (diagram <= levels) {
    const std::uint64_t last = base + (std::uint64_t{1} << here.level) - 1;
    if (!result.empty() && std::uint64_t{result.back().last} + 1 == base) {
      result.back().last = static_cast<Rank>(last);
    } else {
      result.push_back({static_cast<Rank>(base), static_cast<Rank>(last)});
    }
    return;
  }
  list(here.low, base, most, result);
  list(here.high, base + (std::uint64_t{1} << (here.level - 1)), most, result);
}

}  // namespace schedcc
