#include "machine/step_routes.hpp"

#include <algorithm>

namespace schedcc {

bool StepRoutes::read(std::span<const RoutedMessage> messages) {
  if (std::ranges::equal(messages, messages_)) return false;
  messages_.assign(messages.begin(), messages.end());
  runs_.clear();
  ends_.clear();
  counted_.clear();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    channels_.route(messages[i].src, messages[i].dst, runs_);
    ends_.push_back(runs_.size());
    counted_.push_back({0, size(i)});
  }
  if (!channels_.in_network().any()) return true;
  for (auto& refused : refused_) refused.assign(messages.size(), std::nullopt);
  copied_.assign(messages.size(), false);
  groups_.resize(messages.size());
  std::ranges::transform(messages, groups_.begin(), &RoutedMessage::multicast);
  share(groups_, Side::source);
  for (std::size_t i = 0; i < messages.size(); ++i)
    groups_[i] = copied_[i] ? 0 : messages[i].combination;
  share(groups_, Side::destination);
  return true;
}

/// The number of channels that two routes have in common, counted from one side.
std::size_t StepRoutes::common(std::size_t i, std::size_t j, Side side) const {
  const std::size_t most = std::min(size(i), size(j));
  std::size_t n = 0;
  while (n < most && channel(i, n, side) == channel(j, n, side)) ++n;
  return n;
}

void StepRoutes::share(std::span<const std::uint32_t> groups, Side side) {
  order_.clear();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 0) order_.push_back(i);
  }
  const auto before = [&](std::size_t i, std::size_t j) {
    if (groups[i] != groups[j]) return groups[i] < groups[j];
    const std::size_t n = common(i, j, side);
    if (n < size(i) && n < size(j)) return channel(i, n, side) < channel(j, n, side);
    return size(i) != size(j) ? size(i) < size(j) : i < j;
  };
  if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
  for (std::size_t first = 0, end; first < order_.size(); first = end) {
    bool shares = false;
    for (end = first + 1; end < order_.size() && groups[order_[end]] == groups[order_[first]];
         ++end)
      shares |= share(order_[end - 1], order_[end], side);
    if (!shares || side != Side::source) continue;
    for (std::size_t k = first; k < end; ++k) copied_[order_[k]] = true;
  }
}

/// Lets message i count only after (before) the last switch at which it is one message with the
/// one before it in the order of routes. Is there such a switch?
bool StepRoutes::share(std::size_t earlier, std::size_t i, Side side) {
  const std::size_t n = common(earlier, i, side);
  std::size_t shared = n;
  const auto one_message = [&](std::uint64_t channel) {
    return side == Side::source ? channels_.rules_at_destination(channel).multicast
                                : channels_.rules_at_source(channel).reduces;
  };
  while (shared > 0 && !one_message(channel(i, shared - 1, side))) --shared;
  if (shared == 0) {
    for (const std::size_t m : {earlier, i}) {
      auto& refused = refused_[static_cast<std::size_t>(side)][m];
      if (n > 0 && !refused) refused = channel(i, n - 1, side);
    }
    return false;
  }
  if (side == Side::source) {
    counted_[i].begin = shared;
  } else {
    counted_[i].end = size(i) - shared;
  }
  return true;
}

}  // namespace schedcc
