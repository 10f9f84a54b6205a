#include "analysis/switch_groups.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/runs.hpp"

namespace schedcc {

namespace {

/// The numbers below `size`, in the order of `before`, a strict weak order.
template <typename Before>
void sort_numbers(std::size_t size, Before before, std::vector<std::size_t>& order) {
  order.resize(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
}

/// Equal members of a sorted order have equal numbers, from 0.
template <typename Before>
void number_equal(const std::vector<std::size_t>& order, Before before,
                  std::vector<std::uint32_t>& number) {
  number.resize(order.size());
  std::uint32_t last = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && before(order[k - 1], order[k])) ++last;
    number[order[k]] = last;
  }
}

}  // namespace

std::span<const RoutedMessage> SwitchGroups::read(const Step& step, const Digest& digest) {
  messages_.clear();
  for (const Message& m : digest.messages()) messages_.push_back({m.src, m.dst});
  const bool copies = copies_ && digest.sends_twice();
  const bool combines = combines_ && digest.receives_twice();
  if (!copies && !combines) return messages_;
  copies_nothing_.resize(messages_.size());
  if (messages_.size() == step.transfers.size()) {
    number_transfers(step.transfers);
  } else {
    read_contents(step, digest);
    number_contents();
  }
  if (copies) number(&RoutedMessage::src, &RoutedMessage::multicast, false);
  if (combines) number(&RoutedMessage::dst, &RoutedMessage::combination, true);
  return messages_;
}

void SwitchGroups::read_contents(const Step& step, const Digest& digest) {
  contents_.assign(messages_.size(), {});
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& t = step.transfers[i];
    Content& content = contents_[digest.message_of(i)];
    (t.reduce != 0 ? content.reduced : content.copied).push_back({t.first, t.count});
  }
  for (auto& [copied, reduced] : contents_) {
    copied = united(copied);
    reduced = united(reduced);
  }
}

/// Equal contents have equal numbers.
void SwitchGroups::number_contents() {
  const auto key = [](const Run& run) { return std::pair(run.first, run.count); };
  const auto less = [&](const std::vector<Run>& a, const std::vector<Run>& b) {
    return std::ranges::lexicographical_compare(a, b, {}, key, key);
  };
  const auto before = [&](std::size_t i, std::size_t j) {
    const Content &a = contents_[i], &b = contents_[j];
    if (less(a.copied, b.copied)) return true;
    return !less(b.copied, a.copied) && less(a.reduced, b.reduced);
  };
  sort_numbers(messages_.size(), before, order_);
  number_equal(order_, before, number_);
  for (std::size_t i = 0; i < contents_.size(); ++i)
    copies_nothing_[i] = contents_[i].copied.empty();
}

/// The same for messages that are one transfer each.
void SwitchGroups::number_transfers(std::span<const Transfer> transfers) {
  const auto before = [&](std::size_t i, std::size_t j) {
    const Transfer &a = transfers[i], &b = transfers[j];
    if (a.reduce != b.reduce) return a.reduce != 0;
    return a.first != b.first ? a.first < b.first : a.count < b.count;
  };
  sort_numbers(transfers.size(), before, order_);
  number_equal(order_, before, number_);
  for (std::size_t i = 0; i < transfers.size(); ++i) copies_nothing_[i] = transfers[i].reduce != 0;
}

/// Numbers, from 1, the groups of messages with the same end and content. `reductions`: only of
/// messages that copy nothing.
void SwitchGroups::number(Rank RoutedMessage::*end, std::uint32_t RoutedMessage::*group,
                          bool reductions) {
  const auto key = [&](std::size_t i) { return std::tuple(number_[i], messages_[i].*end); };
  if (!std::ranges::is_sorted(order_, {}, key)) std::ranges::sort(order_, {}, key);
  std::uint32_t last = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const bool fresh = k == 0 || key(order_[k - 1]) != key(order_[k]);
    if (fresh) ++last;
    const std::size_t i = order_[k];
    if (!reductions || copies_nothing_[i]) messages_[i].*group = last;
  }
}

}  // namespace schedcc
