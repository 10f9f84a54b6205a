#pragma once

// The synchronous clock: a step takes as long as its slowest message, and begins when the previous
// one has ended.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cost/clock.hpp"

namespace schedcc {

/// `Times`: as those of WaitingClock; and line(i), what message i takes from the start of the step,
/// with s times the bytes for all messages: alpha + beta s.
template <typename Times>
class StepClock : public Clock {
 public:
  /// `idle`: the time of a step without messages.
  StepClock(Times times, double idle) : times_(std::move(times)), idle_(idle) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    times_.begin(messages);
    double longest = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) longest = std::max(longest, times_.end(i, 0));
    end_ += static_cast<double>(number - steps_) * idle_ + longest;
    steps_ = number + 1;
  }

  double so_far() const override { return end_; }
  double finish() override { return end_; }

  std::span<const LinkTime> lines(std::span<const SizedMessage> messages) override {
    times_.begin(messages);
    lines_.clear();
    for (std::size_t i = 0; i < messages.size(); ++i) lines_.push_back(times_.line(i));
    return lines_;
  }

 private:
  Times times_;
  double idle_;
  double end_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<LinkTime> lines_;
};

}  // namespace schedcc
