#pragma once

// A clock goes through the steps of a schedule and says when the last of them has ended.

#include <cstdint>
#include <span>
#include <vector>

#include "cost/messages.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

class Clock {
 public:
  virtual ~Clock() = default;
  /// The messages of step `number`, which takes `rounds`. Numbers rise; idle steps are left out.
  virtual void step(std::uint64_t number, std::uint32_t rounds,
                    std::span<const SizedMessage> messages) = 0;
  /// A time that it cannot end before, however it goes on.
  virtual double so_far() const = 0;
  /// No more steps come: the time at which everything has ended.
  virtual double finish() = 0;
  /// The messages that were waited for, in order; after finish(), if they were recorded.
  virtual std::vector<TimedMessage> critical_path() const { return {}; }
};

/// A number for every rank, in memory for those that are used, and the path that led to it.
struct ReadyTime {
  double time = 0;
  std::uint32_t path = UINT32_MAX;  ///< PathLog::none
};

}  // namespace schedcc
