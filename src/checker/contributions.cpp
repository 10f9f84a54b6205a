#include "checker/contributions.hpp"

#include <algorithm>

namespace schedcc {

Intervals unite(std::span<const Interval> a, std::span<const Interval> b) {
  Intervals all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::inplace_merge(all, all.begin() + static_cast<std::ptrdiff_t>(a.size()), {},
                             &Interval::first);
  Intervals result;
  for (const Interval& next : all) {
    if (!result.empty() && next.first <= std::uint64_t{result.back().last} + 1) {
      result.back().last = std::max(result.back().last, next.last);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

Intervals intersect(std::span<const Interval> a, std::span<const Interval> b) {
  Intervals result;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const Rank first = std::max(i->first, j->first);
    const Rank last = std::min(i->last, j->last);
    if (first <= last) result.push_back({first, last});
    (i->last < j->last ? i : j)++;
  }
  return result;
}

Intervals subtract(std::span<const Interval> a, std::span<const Interval> b) {
  Intervals result;
  auto hole = b.begin();
  for (const Interval& whole : a) {
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

std::size_t Contributions::Hash::operator()(const Collection& collection) const {
  std::uint64_t hash = collection.ranks.size();
  for (const Intervals* intervals : {&collection.ranks, &collection.twice}) {
    for (const Interval& i : *intervals) {
      hash = (hash ^ (std::uint64_t{i.first} << 32 | i.last)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

Contributions::Contributions() : collections_(3) { ids_.emplace(Collection{}, empty); }

Contributions::Id Contributions::of(Collection collection) {
  const auto [found, added] =
      ids_.try_emplace(std::move(collection), static_cast<Id>(collections_.size()));
  if (added) collections_.push_back(found->first);
  return found->second;
}

Contributions::Id Contributions::only(Rank rank) {
  Id& id = single_[rank];
  if (id == unset) id = of({{{rank, rank}}, {}});
  return id;
}

Contributions::Id Contributions::unite(Id a, Id b) {
  if (a == empty) return b;
  if (b == empty) return a;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  if (const Id known = unions_.get({key, 0}); known != unset) return known;
  const Collection& left = collections_[a];
  const Collection& right = collections_[b];
  Collection both{
      schedcc::unite(left.ranks, right.ranks),
      schedcc::unite(schedcc::unite(left.twice, right.twice), intersect(left.ranks, right.ranks))};
  const Id id = of(std::move(both));
  *unions_.at(key) = id;
  return id;
}

}  // namespace schedcc
