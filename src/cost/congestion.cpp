#include "cost/congestion.hpp"

#include <algorithm>
#include <utility>

namespace schedcc {

Congestion::Congestion(Machine machine) : machine_(std::move(machine)) {
  if (machine_.channels() != nullptr) routes_.emplace(*machine_.channels());
}

template <typename F>
void Congestion::each_channel(std::span<const Channels::Run> runs, F f) {
  for (const Channels::Run& run : runs) {
    for (std::uint64_t c = 0; c < run.count; ++c) f(*loads_.at(run.first + c), run.first + c);
  }
}

std::span<const double> Congestion::read(std::span<const SizedMessage> messages) {
  if (!routes_) {
    ratios_.assign(messages.size(), 1);
    return ratios_;
  }
  routed_.clear();
  for (const SizedMessage& m : messages) routed_.push_back(m.routed());
  if (!routes_->read(routed_)) return ratios_;
  ratios_.assign(messages.size(), 1);
  ++step_;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    each_channel(routes_->counted(i), [&](Load& load, std::uint64_t) {
      load = {step_, load.step == step_ ? load.messages + 1 : 1};
    });
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    each_channel(routes_->route(i), [&](const Load& load, std::uint64_t channel) {
      const std::uint64_t capacity = machine_.channels()->capacity(channel);
      if (load.messages <= capacity) return;
      ratios_[i] =
          std::max(ratios_[i], static_cast<double>(load.messages) / static_cast<double>(capacity));
    });
  }
  return ratios_;
}

}  // namespace schedcc
