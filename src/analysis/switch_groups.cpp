#include "analysis/switch_groups.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/runs.hpp"

namespace schedcc {

std::span<const RoutedMessage> SwitchGroups::read(const Step& step, const Digest& digest) {
  messages_.clear();
  for (const Message& m : digest.messages()) messages_.push_back({m.src, m.dst});
  const bool copies = copies_ && digest.sends_twice();
  const bool combines = combines_ && digest.receives_twice();
  if (!copies && !combines) return messages_;
  read_contents(step, digest);
  number_contents();
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
    copied = merged(copied, true);
    reduced = merged(reduced, true);
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
  order_.resize(messages_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, before);
  number_.resize(messages_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const bool same = k > 0 && !before(order_[k - 1], order_[k]);
    number_[order_[k]] = k == 0 ? 0 : number_[order_[k - 1]] + (same ? 0 : 1);
  }
}

/// Numbers, from 1, the groups of messages with the same end and content. `reductions`: only of
/// messages that copy nothing.
void SwitchGroups::number(Rank RoutedMessage::*end, std::uint32_t RoutedMessage::*group,
                          bool reductions) {
  const auto key = [&](std::size_t i) { return std::tuple(messages_[i].*end, number_[i]); };
  std::ranges::sort(order_, {}, key);
  std::uint32_t last = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const bool fresh = k == 0 || key(order_[k - 1]) != key(order_[k]);
    if (fresh) ++last;
    const std::size_t i = order_[k];
    if (!reductions || contents_[i].copied.empty()) messages_[i].*group = last;
  }
}

}  // namespace schedcc
