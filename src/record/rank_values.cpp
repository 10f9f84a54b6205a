#include "record/rank_values.hpp"

#include <algorithm>

namespace schedcc::record {

namespace {

/// Sums of some of the pending values are tried one by one, up to this many values.
constexpr std::size_t most_tried = 16;

}  // namespace

RankValues::RankValues(WordKind kind, std::uint64_t words, std::vector<std::vector<Item>>& items,
                       Constraints& constraints)
    : kind_(kind),
      items_(items),
      constraints_(constraints),
      pages_((words + page_words - 1) / page_words) {}

RankValues::Place* RankValues::find(std::uint32_t word) {
  const auto& page = pages_[word / page_words];
  return page ? &(*page)[word % page_words] : nullptr;
}

RankValues::Place& RankValues::at(std::uint32_t word) {
  auto& page = pages_[word / page_words];
  if (!page) page = std::make_unique<Page>();
  return (*page)[word % page_words];
}

void RankValues::push(std::uint32_t& list, std::uint32_t message) {
  if (list != none && links_[list].message == message) return;
  links_.push_back({message, list});
  list = static_cast<std::uint32_t>(links_.size() - 1);
}

void RankValues::start(std::uint32_t word, std::uint64_t value) {
  Place& place = at(word);
  place.held = true;
  place.value = place.all = value;
  index(value, word);
}

void RankValues::receive(std::uint32_t word, std::uint64_t value, std::uint32_t message,
                         std::uint32_t item) {
  Place& place = at(word);
  pending_.push_back({value, message, item, place.pending});
  place.pending = static_cast<std::uint32_t>(pending_.size() - 1);
  if (sums(kind_)) place.all = sum(kind_, place.all, value);
  index_pending(place, pending_.back(), word);
}

/// The values that the word may have now: what arrived, that and what the place holds, all, or all
/// that is pending, of which the first has replaced what the place held.
void RankValues::index_pending(const Place& place, const PendingItem& arrived, std::uint32_t word) {
  index(arrived.value, word);
  if (!sums(kind_)) return;
  if (place.held) {
    index(sum(kind_, place.value, arrived.value), word);
    index(sum(kind_, place.all, 0 - place.value), word);
  }
  index(place.all, word);
}

void RankValues::index_all() {
  if (all_indexed_) return;
  all_indexed_ = true;
  for (std::uint32_t p = 0; p < pages_.size(); ++p) {
    for (std::uint32_t i = 0; pages_[p] && i < page_words; ++i) {
      const Place& place = (*pages_[p])[i];
      const std::uint32_t word = p * page_words + i;
      if (place.held) index(place.value, word);
      for (std::uint32_t node = place.pending; node != none; node = pending_[node].next)
        index_pending(place, pending_[node], word);
    }
  }
}

std::vector<std::uint32_t> RankValues::pending_of(const Place& place) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = place.pending; i != none; i = pending_[i].next) result.push_back(i);
  std::ranges::reverse(result);
  return result;
}

bool RankValues::observe(std::uint32_t word, std::uint64_t value) {
  Place* const place = find(word);
  if (place == nullptr) return false;
  if (!place->held || value != place->value)
    return place->pending != none && observe_some(*place, value);
  // The value that it had may also have come once more, before a message that carries it on.
  for (std::uint32_t node = place->pending; node != none; node = pending_[node].next) {
    if (pending_[node].value != value) continue;
    settle(*place, value, {&node, 1}, false);
    break;
  }
  return true;
}

bool RankValues::observe_some(Place& place, std::uint64_t value) {
  if (pending_[place.pending].next == none) {  // the usual case
    const std::uint32_t node = place.pending;
    const bool replaces = pending_[node].value == value;
    if (!replaces && !(sums(kind_) && place.held && place.all == value)) return false;
    settle(place, value, {&node, 1}, !replaces);
    return true;
  }
  const std::vector<std::uint32_t> nodes = pending_of(place);
  for (const std::uint32_t& node : nodes) {
    if (pending_[node].value != value) continue;
    settle(place, value, {&node, 1}, false);
    return true;
  }
  if (!sums(kind_)) return false;
  if (place.held && value == place.all) {
    settle(place, value, nodes, true);
    return true;
  }
  if (nodes.size() > most_tried) return false;
  for (std::uint32_t chosen = 1; chosen < 1U << nodes.size(); ++chosen) {
    std::uint64_t total = 0;
    std::vector<std::uint32_t> some;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if ((chosen >> i & 1) == 0) continue;
      total = sum(kind_, total, pending_[nodes[i]].value);
      some.push_back(nodes[i]);
    }
    const bool keeps = place.held && sum(kind_, total, place.value) == value;
    if (!keeps && total != value) continue;
    settle(place, value, some, keeps);
    return true;
  }
  return false;
}

/// A received value becomes a part of what the place holds.
void RankValues::make(Place& place, const PendingItem& arrived, bool copy) {
  items_[arrived.message][arrived.item].use = copy ? ItemUse::copied : ItemUse::reduced;
  for (std::uint32_t i = place.readers; i != none; i = links_[i].next)
    constraints_.add(links_[i].message, arrived.message, false);
  if (copy) {
    for (std::uint32_t i = place.makers; i != none; i = links_[i].next)
      constraints_.add(links_[i].message, arrived.message, true);
  } else if (place.copied != none) {
    constraints_.add(place.copied, arrived.message, true);
  }
}

void RankValues::settle(Place& place, std::uint64_t value, std::span<const std::uint32_t> nodes,
                        bool keeps) {
  std::uint32_t makers = none;
  for (const std::uint32_t& node : nodes) {
    const bool copy = !keeps && &node == nodes.data();
    make(place, pending_[node], copy);
    if (copy) place.copied = pending_[node].message;
    push(makers, pending_[node].message);
  }
  // Whatever read the old value also comes before what will be made of the new one, which is why it
  // can be forgotten: the reader that has just shown the new value stands between the two.
  place.makers = makers;
  place.readers = none;
  place.held = true;
  place.value = place.all = value;
  std::uint32_t left = none;
  if (pending_[place.pending].next == none) place.pending = none;
  for (const std::uint32_t node : pending_of(place)) {
    if (std::ranges::find(nodes, node) != nodes.end()) continue;
    place.all = sum(kind_, place.all, pending_[node].value);
    pending_[node].next = left;
    left = node;
  }
  place.pending = left;
}

void RankValues::send(std::uint32_t word, std::uint32_t message) {
  Place& place = at(word);
  for (std::uint32_t i = place.makers; i != none; i = links_[i].next)
    constraints_.add(links_[i].message, message, true);
  push(place.readers, message);
}

void RankValues::finish() {
  for (const auto& page : pages_) {
    if (!page) continue;
    for (Place& place : *page) {
      for (const std::uint32_t node : pending_of(place)) {
        const PendingItem& arrived = pending_[node];
        if (!place.held && !sums(kind_)) {
          place.held = true;
          place.value = arrived.value;
        }
        if (!place.held || arrived.value != place.value) continue;
        make(place, arrived, true);
        place.makers = none;
        push(place.makers, arrived.message);
      }
    }
  }
}

}  // namespace schedcc::record
