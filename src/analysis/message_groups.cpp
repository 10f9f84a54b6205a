#include "analysis/message_groups.hpp"

#include "schedcc/error.hpp"

namespace schedcc {

void MessageGroups::read(std::span<const Transfer> transfers, Modes modes) {
  if (transfers.size() > IdIndex::none) throw LimitError("too many transfers in a step");
  group_.clear();
  group_.reserve(transfers.size());
  firsts_.clear();
  keys_.clear();
  index_.clear();
  IdIndex::Id last = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const Key key{std::uint64_t{t.src} << 32 | t.dst, modes == Modes::apart && t.reduce != 0};
    if (keys_.empty() || key != keys_[last]) last = find_or_add(key);
    if (last == firsts_.size()) firsts_.push_back(i);
    group_.push_back(last);
  }
}

/// As long as keys come in ascending order, each of them is new, and there is no index.
IdIndex::Id MessageGroups::find_or_add(const Key& key) {
  const auto hash_of = [&](IdIndex::Id id) { return hash(keys_[id]); };
  const auto next = static_cast<IdIndex::Id>(keys_.size());
  if (!index_.empty() || (next > 0 && key < keys_.back())) {
    if (index_.empty()) {
      for (IdIndex::Id group = 0; group < next; ++group) index_.add(group, hash_of);
    }
    const auto equal = [&](IdIndex::Id id) { return keys_[id] == key; };
    const IdIndex::Id group = index_.find_or_add(next, hash(key), equal, hash_of);
    if (group != next) return group;
  }
  keys_.push_back(key);
  return next;
}

std::uint64_t MessageGroups::hash(const Key& key) {
  return IdIndex::mix(key.ends, key.reduces ? 1 : 0);
}

}  // namespace schedcc
