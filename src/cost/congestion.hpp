#pragma once

// How the messages of a step share the machine's channels.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/block_table.hpp"
#include "cost/messages.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class Congestion {
 public:
  explicit Congestion(Machine machine) : machine_(std::move(machine)) {}

  /// For each message of a step the largest ratio of load to capacity among its channels, where
  /// that is above 1; else 1. Time: the channels of all messages. Valid until the next call.
  std::span<const double> read(std::span<const SizedMessage> messages);

 private:
  struct Load {
    std::uint64_t step = 0, messages = 0;
  };

  /// Calls f(load, channel) for all channels of message i.
  template <typename F>
  void each_channel(std::size_t i, F f);

  Machine machine_;
  BlockTable<Load, 1> loads_;  ///< by channel
  std::uint64_t step_ = 0;     ///< numbered from 1 on
  std::vector<Channels::Run> runs_;
  std::vector<std::size_t> ends_;  ///< of the runs of each message
  std::vector<double> ratios_;
};

}  // namespace schedcc
