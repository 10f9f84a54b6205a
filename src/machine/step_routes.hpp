#pragma once

// The channels that the messages of a step take, and the part of them that each counts on.
//
// A message counts on all channels of its route, unless switches copy or combine messages
// (docs/semantics.md, "Switches"). Messages of a step with one source and the same transfers are a
// *multicast*: into a switch that multicasts they are one message, on any other channel as many as
// on the channels that follow it. With time reversed, reductions of a step with one destination and
// the same transfers are a *combination*: out of a switch that reduces they are one message. A
// message that is copied is not combined.
//
// With the routes of a multicast in lexicographic order, of those that have the channel of such a
// switch in common only the first counts on it, and on the channels before it. So a message counts
// on the end of its route that begins after the last such channel that it shares with the message
// before it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcc/machine.hpp"

namespace schedcc {

/// A message, and those that switches may make one of with it.
struct RoutedMessage {
  Rank src, dst;
  /// Messages with the same number are a multicast; 0: it is part of none.
  std::uint32_t multicast = 0;
  /// The same of a combination.
  std::uint32_t combination = 0;

  friend bool operator==(const RoutedMessage&, const RoutedMessage&) = default;
};

class StepRoutes {
 public:
  /// `channels` outlives it.
  explicit StepRoutes(const Channels& channels) : channels_(channels) {}

  /// The messages of a step, of different pairs of ranks. Are they others than those before? Time:
  /// their number if they are the same; else their routes; where switches copy or combine also
  /// sorting them.
  bool read(std::span<const RoutedMessage> messages);

  /// The whole route of message i.
  std::span<const Channels::Run> route(std::size_t i) const { return runs(i, {0, size(i)}); }
  /// The channels of its route that it counts on.
  std::span<const Channels::Run> counted(std::size_t i) const { return runs(i, counted_[i]); }
  /// Does it count at a port of its source; at one of its destination?
  bool leaves(std::size_t i) const { return counted_[i].begin == 0; }
  bool enters(std::size_t i) const { return counted_[i].end == size(i); }
  enum class Side : std::uint8_t { source, destination };
  /// The last channel that message i has in common with another one of its multicast (the first,
  /// of its combination), if it counts at the port on this side since no switch copies (combines)
  /// them.
  std::optional<std::uint64_t> refused(std::size_t i, Side side) const {
    const auto& refused = refused_[static_cast<std::size_t>(side)];
    return refused.empty() ? std::nullopt : refused[i];
  }

 private:
  /// A part of a route, in runs.
  struct RunRange {
    std::size_t begin, end;
  };

  std::size_t begin(std::size_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
  std::size_t size(std::size_t i) const { return ends_[i] - begin(i); }
  std::span<const Channels::Run> runs(std::size_t i, RunRange part) const {
    return std::span(runs_).subspan(begin(i) + part.begin, part.end - part.begin);
  }
  /// Number k of the channels of a route, from one side.
  std::uint64_t channel(std::size_t i, std::size_t k, Side side) const {
    return runs_[side == Side::source ? begin(i) + k : ends_[i] - 1 - k].first;
  }
  std::size_t common(std::size_t i, std::size_t j, Side side) const;
  void share(std::span<const std::uint32_t> groups, Side side);
  bool share(std::size_t earlier, std::size_t i, Side side);

  const Channels& channels_;
  std::vector<RoutedMessage> messages_;
  std::vector<Channels::Run> runs_;
  std::vector<std::size_t> ends_;  ///< of the runs of each message
  std::vector<RunRange> counted_;
  /// By side, of messages; empty if switches do nothing.
  std::array<std::vector<std::optional<std::uint64_t>>, 2> refused_;
  std::vector<std::uint32_t> groups_;  ///< by message
  std::vector<std::size_t> order_;
  std::vector<bool> copied_;  ///< by message: is its multicast copied by a switch?
};

}  // namespace schedcc
