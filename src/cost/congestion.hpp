#pragma once

// How the messages of a step share the machine's channels.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "cost/messages.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class Congestion {
 public:
  explicit Congestion(Machine machine);

  /// For each message of a step the largest ratio of load to capacity among its channels, where
  /// that is above 1; else 1. Time: the channels of all messages. Valid until the next call.
  std::span<const double> read(std::span<const SizedMessage> messages);

 private:
  struct Load {
    std::uint64_t step = 0, messages = 0;
  };

  /// Calls f(load, channel) for all channels of these runs.
  template <typename F>
  void each_channel(std::span<const Channels::Run> runs, F f);

  Machine machine_;
  std::optional<StepRoutes> routes_;  ///< if the machine has channels
  BlockTable<Load, 1> loads_;         ///< by channel
  std::uint64_t step_ = 0;            ///< numbered 1, 2, ...
  std::vector<RoutedMessage> routed_;
  std::vector<double> ratios_;
};

}  // namespace schedcc
