#pragma once

// How many messages of one step are on each channel, and which channels carry too many.
//
// A message is on runs of channels, which may be long: where runs begin and end divides the
// channels into segments of the same load. Time and memory follow the number of runs.

#include <cstdint>
#include <vector>

#include "schedcc/machine.hpp"

namespace schedcc {

class ChannelLoads {
 public:
  /// Channels of one run that carry too many messages: with this run, and those before it, it is
  /// one message more than their capacity.
  struct Overload {
    std::size_t run;
    std::uint64_t first, count;
  };

  /// `channels` outlives it.
  explicit ChannelLoads(const Channels& channels) : channels_(channels) {}

  /// The runs of a step. Those that have a channel in common are of different messages.
  void read(const std::vector<Channels::Run>& runs);

  /// The most messages on a channel.
  std::uint64_t max() const { return most_; }
  /// By run; those of a run in the order in which its message takes them.
  const std::vector<Overload>& overloads() const { return overloads_; }

 private:
  /// Where runs begin, and after which channel they end.
  struct Boundary {
    std::uint64_t channel;
    std::size_t run;
    bool begins;
  };

  void sweep();
  void find_overloads(const std::vector<Channels::Run>& runs);

  const Channels& channels_;
  std::vector<Boundary> boundaries_;  ///< by channel
  std::uint64_t most_ = 0;
  bool overloaded_ = false;
  std::vector<Overload> overloads_;
};

}  // namespace schedcc
