#include "analysis/contributions.hpp"

#include <utility>

#include "schedcc/error.hpp"

namespace schedcc {

Contributions::Contributions(std::uint64_t ranks) : collections_(1) {
  number({});
  collections_.emplace_back();   // `value`
  constexpr unsigned bits = 31;  // of an arc
  if (ranks == 0 || ranks > std::uint64_t{1} << (bits - bits_of_exponent)) return;
  ranks_ = static_cast<std::uint32_t>(ranks);
  length_bits_ = ranks <= std::uint64_t{1} << bits_of_any ? bits_of_any : bits_of_exponent;
}

Contributions::Id Contributions::of(std::span<const RankInterval> ranks) {
  if (ranks_ != 0 && ranks.size() == 1) {
    const Arc arc{ranks[0].first, ranks[0].last - ranks[0].first + 1};
    if (is_numbered(arc.length)) return id(arc);
  }
  return of(sets_.of(ranks));
}

Contributions::Id Contributions::of(RankSets::Id ranks) {
  const auto arc = arc_of(ranks);
  return arc && is_numbered(arc->length) ? id(*arc) : number({ranks, RankSets::empty});
}

std::optional<Contributions::Arc> Contributions::arc_of(RankSets::Id ranks) const {
  if (ranks_ == 0 || ranks == RankSets::empty || sets_.size(ranks) > 2) return std::nullopt;
  const Intervals parts = sets_.intervals(ranks);
  const RankInterval &first = parts.front(), &last = parts.back();
  if (parts.size() == 1) return Arc{first.first, first.last - first.first + 1};
  // Does it wrap around?
  if (first.first != 0 || last.last != ranks_ - 1) return std::nullopt;
  return Arc{last.first, ranks_ - last.first + first.last + 1};
}

RankSets::Id Contributions::ranks(Arc arc) const {
  const Rank last = end(arc) == 0 ? ranks_ - 1 : end(arc) - 1;
  if (arc.first <= last) {
    const RankInterval one{arc.first, last};
    return sets_.of({&one, 1});
  }
  const RankInterval both[] = {{0, last}, {arc.first, ranks_ - 1}};
  return sets_.of(both);
}

Contributions::Id Contributions::number(Collection collection) {
  const auto hash = [](const Collection& c) { return IdIndex::mix(c.ranks, c.twice); };
  const Id known =
      index_.find(hash(collection), [&](Id id) { return collections_[id] == collection; });
  if (known != IdIndex::none) return known;
  if (collections_.size() >= arc_bit) throw InternalError("too many collections of contributions");
  collections_.push_back(collection);
  const auto added = static_cast<Id>(collections_.size() - 1);
  index_.add(added, [&](Id id) { return hash(collections_[id]); });
  return added;
}

Contributions::Id Contributions::only(Rank rank) {
  if (ranks_ != 0) return id({rank, 1});
  Id& id = single_[rank];
  if (id == unset) id = of({{rank, rank}});
  return id;
}

Contributions::Id Contributions::unite_sets(Id a, Id b) {
  if (a == empty) return b;
  if (b == empty) return a;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  if (const Id known = unions_.get({key, 0}); known != unset) return known;
  const RankSets::Id left = ranks(a), right = ranks(b);
  const RankSets::Id all = sets_.unite(left, right);
  const RankSets::Id repeated =
      sets_.unite(sets_.unite(twice(a), twice(b)), sets_.intersect(left, right));
  const Id result = repeated == RankSets::empty ? of(all) : number({all, repeated});
  *unions_.at(key) = result;
  return result;
}

}  // namespace schedcc
