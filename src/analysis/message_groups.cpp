#include "analysis/message_groups.hpp"

#include "schedcc/error.hpp"

namespace schedcc {

void MessageGroups::read(std::span<const Transfer> transfers, Modes modes) {
  group_.clear();
  firsts_.clear();
  keys_.clear();
  index_.clear();
  std::size_t last = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const Key key{std::uint64_t{t.src} << 32 | t.dst, modes == Modes::apart && t.reduce != 0};
    if (keys_.empty() || key != keys_[last]) last = find_or_add(key);
    if (last == firsts_.size()) firsts_.push_back(i);
    group_.push_back(last);
  }
}

/// As long as keys come in ascending order, each of them is new, and there is no index.
std::size_t MessageGroups::find_or_add(const Key& key) {
  const bool ascending = index_.empty() && (keys_.empty() || keys_.back() < key);
  if (!ascending) {
    if (index_.empty()) {
      for (std::size_t group = 0; group < keys_.size(); ++group) enter(group);
    }
    const auto known = index_.find(hash(key), [&](IdIndex::Id id) { return keys_[id] == key; });
    if (known != IdIndex::none) return known;
  }
  keys_.push_back(key);
  if (!ascending) enter(keys_.size() - 1);
  return keys_.size() - 1;
}

void MessageGroups::enter(std::size_t group) {
  if (group >= IdIndex::none) throw InternalError("too many messages in a step");
  index_.add(static_cast<IdIndex::Id>(group), [&](IdIndex::Id id) { return hash(keys_[id]); });
}

std::uint64_t MessageGroups::hash(const Key& key) {
  return IdIndex::mix(key.ends, key.reduces ? 1 : 0);
}

}  // namespace schedcc
