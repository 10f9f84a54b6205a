#include "cost/known_steps.hpp"

#include <algorithm>

namespace schedcc {

namespace {

/// Elements begin..end-1.
template <typename T>
std::span<const T> part(const std::vector<T>& all, std::size_t begin, std::size_t end) {
  return std::span(all).subspan(begin, end - begin);
}

}  // namespace

std::span<const Transfer> KnownSteps::transfers(IdIndex::Id id) const {
  return part(transfers_, id == 0 ? 0 : entries_[id - 1].transfers, entries_[id].transfers);
}

void KnownSteps::normalize(std::span<const Transfer> transfers) {
  normal_.clear();
  const Chunk origin = transfers.empty() ? 0 : transfers.front().first;
  for (Transfer t : transfers) {
    t.first = by_contents_ ? t.first - origin : 0;
    if (!by_contents_) t.reduce = 0;
    const bool same_message = !by_contents_ && !normal_.empty() && normal_.back().src == t.src &&
                              normal_.back().dst == t.dst &&
                              normal_.back().count <= max_transfer_count - t.count;
    if (same_message) {
      normal_.back().count += t.count;
    } else {
      normal_.push_back(t);
    }
  }
  hash_ = 0;
  for (const Transfer& t : normal_) {
    hash_ = (hash_ ^ (std::uint64_t{t.src} << 32 | t.dst)) * 0x9e3779b97f4a7c15u;
    hash_ = (hash_ ^ (std::uint64_t{t.first} << 32 | std::uint64_t{t.count} << 1 | t.reduce)) *
            0xd6e8feb86659fd93u;
    hash_ ^= hash_ >> 32;
  }
}

std::optional<KnownSteps::Times> KnownSteps::find(std::span<const Transfer> transfers) {
  normalize(transfers);
  const IdIndex::Id id = index_.find(hash_, [&](IdIndex::Id known) {
    return entries_[known].hash == hash_ && std::ranges::equal(this->transfers(known), normal_);
  });
  if (id == IdIndex::none) return std::nullopt;
  const std::size_t begin = id == 0 ? 0 : entries_[id - 1].lines;
  return Times{entries_[id].width, part(lines_, begin, entries_[id].lines)};
}

void KnownSteps::keep(const Times& times) {
  if (normal_.size() > max_kept) return;
  if (transfers_.size() + normal_.size() > max_kept) {
    entries_.clear();
    transfers_.clear();
    lines_.clear();
    index_.clear();
  }
  transfers_.insert(transfers_.end(), normal_.begin(), normal_.end());
  lines_.insert(lines_.end(), times.lines.begin(), times.lines.end());
  entries_.push_back({hash_, times.width, transfers_.size(), lines_.size()});
  index_.add(static_cast<IdIndex::Id>(entries_.size() - 1),
             [&](IdIndex::Id id) { return entries_[id].hash; });
}

}  // namespace schedcc
