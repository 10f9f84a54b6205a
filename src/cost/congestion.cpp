#include "cost/congestion.hpp"

#include <algorithm>

namespace schedcc {

template <typename F>
void Congestion::each_channel(std::size_t i, F f) {
  for (std::size_t run = i == 0 ? 0 : ends_[i - 1]; run < ends_[i]; ++run) {
    for (std::uint64_t c = 0; c < runs_[run].count; ++c) {
      const std::uint64_t channel = runs_[run].first + c;
      f(*loads_.at(channel), channel);
    }
  }
}

std::span<const double> Congestion::read(std::span<const SizedMessage> messages) {
  ratios_.assign(messages.size(), 1);
  const Channels* const channels = machine_.channels();
  if (channels == nullptr) return ratios_;
  ++step_;
  runs_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    channels->route(messages[i].src, messages[i].dst, runs_);
    ends_.push_back(runs_.size());
    each_channel(i, [&](Load& load, std::uint64_t) {
      load = {step_, load.step == step_ ? load.messages + 1 : 1};
    });
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    each_channel(i, [&](const Load& load, std::uint64_t channel) {
      const std::uint64_t capacity = channels->capacity(channel);
      if (load.messages <= capacity) return;
      ratios_[i] =
          std::max(ratios_[i], static_cast<double>(load.messages) / static_cast<double>(capacity));
    });
  }
  return ratios_;
}

}  // namespace schedcc
