#include "analysis/contributions.hpp"

#include <utility>

#include "schedcc/error.hpp"

namespace schedcc {

Contributions::Contributions() : collections_(1) {
  number({});
  collections_.emplace_back();  // `value`
}

Contributions::Id Contributions::number(Collection collection) {
  const auto hash = [](const Collection& c) { return IdIndex::mix(c.ranks, c.twice); };
  const Id known =
      index_.find(hash(collection), [&](Id id) { return collections_[id] == collection; });
  if (known != IdIndex::none) return known;
  if (collections_.size() == IdIndex::none)
    throw InternalError("too many collections of contributions");
  collections_.push_back(collection);
  const auto added = static_cast<Id>(collections_.size() - 1);
  index_.add(added, [&](Id id) { return hash(collections_[id]); });
  return added;
}

Contributions::Id Contributions::only(Rank rank) {
  Id& id = single_[rank];
  if (id == unset) id = of({{rank, rank}});
  return id;
}

Contributions::Id Contributions::unite(Id a, Id b) {
  if (a == empty) return b;
  if (b == empty) return a;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  if (const Id known = unions_.get({key, 0}); known != unset) return known;
  const Collection left = collections_[a], right = collections_[b];
  const Id id = number({sets_.unite(left.ranks, right.ranks),
                        sets_.unite(sets_.unite(left.twice, right.twice),
                                    sets_.intersect(left.ranks, right.ranks))});
  *unions_.at(key) = id;
  return id;
}

}  // namespace schedcc
