#pragma once

// The execution of a GOAL program: which operations begin and end, and the earliest step of each.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/goal/program.hpp"

namespace schedcc {

/// For each operation, those that wait for its start (or for its end), in the order of the file.
class GoalDependents {
 public:
  GoalDependents(const GoalProgram& program, bool on_start);
  std::span<const std::uint32_t> of(std::uint32_t operation) const {
    if (first_.empty()) return {};
    return std::span(after_).subspan(first_[operation], first_[operation + 1] - first_[operation]);
  }
  void prefetch(std::uint32_t operation) const {
    if (!first_.empty()) __builtin_prefetch(&first_[operation]);
  }
  /// The dependents of all operations, in any order.
  std::span<const std::uint32_t> all() const { return after_; }

 private:
  std::vector<std::uint32_t> first_;  ///< offsets into after_; empty if after_ is empty
  std::vector<std::uint32_t> after_;
};

class GoalRun {
 public:
  /// `partners`: of a send its receive, and vice versa. Both arguments must outlive this.
  GoalRun(const GoalProgram& program, std::span<const std::uint32_t> partners);

  /// An operation that never begins, and the send or receive that it waits for, which has begun; or
  /// the operation itself, if everything that it waits for never begins.
  struct BlockedOperation {
    std::uint32_t operation, waits_for;
  };

  /// The largest size that an end of a message states.
  std::uint64_t max_bytes() const { return max_bytes_; }

  /// Runs the program. A send ends when it begins if neither it nor its receive has more than
  /// `eager` bytes, else when its receive has begun, too (rendezvous). A message takes a step, in
  /// which its sender sends no other and its receiver receives no other; one from a rank to itself
  /// takes none. Returns the first operation of the file that is stuck; none if all end.
  std::optional<BlockedOperation> run(std::uint64_t eager);

  /// The steps of sends in the last run, by operation.
  std::vector<std::uint32_t> steps() const;

 private:
  using Kind = GoalProgram::Kind;
  /// The state of an operation. Times are below the number of operations.
  struct State {
    std::uint32_t waits = 0;  ///< for this many others
    std::uint32_t ready = 0, step = 0;
    bool started = false, ended = false;
  };

  void reset();
  void prefetch(std::size_t place) const;
  void start(std::uint32_t i, std::uint64_t eager);
  void end(std::uint32_t i, std::uint32_t time);
  /// Decrements the number of operations that each of these waits for, at `time`.
  void release(std::span<const std::uint32_t> operations, std::uint32_t time);
  std::optional<BlockedOperation> first_blocked() const;

  const GoalProgram& program_;
  std::span<const std::uint32_t> partners_;
  GoalDependents at_start_, at_end_;
  std::uint64_t max_bytes_ = 0;
  std::vector<State> states_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> next_send_, next_receive_;  ///< steps, by rank
};

}  // namespace schedcc
