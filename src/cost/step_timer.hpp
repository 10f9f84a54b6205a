#pragma once

// Times steps one after another, until the time is not below a limit.
//
// As long as steps are permutations (permutations.hpp) and the clock agrees, one message stands for
// all of a step.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cost/clock.hpp"
#include "cost/permutations.hpp"
#include "cost/timing.hpp"

namespace schedcc {

/// What timing comes to: none if the time is not below the limit.
using Timed = std::optional<Timing>;

/// Steps that are timed until a limit.
class StepTimer {
 public:
  StepTimer(double limit, const Problem& problem, const Machine& machine, const CostModel& model,
            std::uint64_t bytes, Outlook* outlook)
      : machine_(machine),
        clock_(own_clock(model, machine)),
        limit_(limit),
        outlook_(outlook),
        enough_(limit),
        permutations_(problem.ranks),
        alike_(outlook != nullptr) {
    if (outlook == nullptr) return;
    if (clock_->least_so_far()) enough_ += spare * std::max(limit - outlook->known, 0.0);
    clock_->expect({&problem, problem.tokens() ? 0 : bytes / problem.chunks, outlook->width});
  }

  /// Times a step. Does it end before what is enough?
  bool step(const Step& step, std::span<const SizedMessage> messages) {
    alike_ = alike_ && timed_as_permutation(step.number, messages);
    if (!alike_) clock_->step(step.number, step.rounds, messages);
    for (const SizedMessage& m : messages) count(step.number, m.chunks);
    return soon_enough();
  }
  /// The same for a permutation, after others; none if its messages are needed.
  std::optional<bool> permutation(std::uint64_t number, const MessageSize& size) {
    alike_ = alike_ && clock_->permutation(number, size);
    if (!alike_) return std::nullopt;
    count(number, size.chunks);
    return soon_enough();
  }
  /// Were all steps so far timed as permutations?
  bool alike() const { return alike_; }
  /// If so, the chunks of each message of the last step().
  std::uint64_t permuted() const { return permuted_; }

  Timed finish() {
    result_.seconds = clock_->finish();
    keep_bound();
    return result_.seconds < limit_ ? std::optional(result_) : std::nullopt;
  }
  Timed abandon() {
    keep_bound();
    return std::nullopt;
  }

 private:
  /// Where bounds for other sizes are kept, timing goes on beyond the limit, by this many times
  /// what the limit is above known bounds: for the next size the limit is as far above its own.
  static constexpr double spare = 2;

  static bool equal_sizes(std::span<const SizedMessage> messages) {
    return std::ranges::all_of(messages,
                               [&](const auto& m) { return m.bytes == messages.front().bytes; });
  }
  bool timed_as_permutation(std::uint64_t number, std::span<const SizedMessage> messages) {
    permuted_ = permutations_.chunks_of(messages).value_or(0);
    return permuted_ != 0 && equal_sizes(messages) &&
           clock_->permutation(number, {permuted_, messages.front().bytes});
  }
  bool soon_enough() const { return clock_->so_far() < enough_; }
  /// The figures that all clocks share.
  void count(std::uint64_t number, std::uint64_t chunks) {
    result_.width = std::max(result_.width, chunks);
    result_.steps = number + machine_.latency();
  }
  void keep_bound() {
    if (outlook_ != nullptr) outlook_->least = clock_->least_so_far();
  }

  const Machine& machine_;
  std::unique_ptr<Clock> clock_;
  double limit_;
  Outlook* outlook_;
  double enough_;
  Permutations permutations_;
  std::uint64_t permuted_ = 0;
  bool alike_;
  Timing result_;
};

}  // namespace schedcc
