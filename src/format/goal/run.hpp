#pragma once

// The execution of a GOAL program: which operations begin and end, and the earliest step of each.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/goal/program.hpp"

namespace schedcc {

class GoalRun {
 public:
  /// `partners`: of a send its receive, and vice versa. Both must outlive this.
  GoalRun(const GoalProgram& program, std::span<const std::uint64_t> partners);

  /// An operation that never begins, and the send or receive that it waits for, which has begun; or
  /// itself, if all wait for others that do not begin.
  struct Stuck {
    std::uint64_t operation, waits_for;
  };

  /// Runs the program. A send ends when it begins if neither it nor its receive has more than
  /// `eager` bytes, else when its receive has begun, too (rendezvous). A message takes a step, in
  /// which its sender sends no other and its receiver receives no other. Returns the first
  /// operation of the file that is stuck; none if all end.
  std::optional<Stuck> run(std::uint64_t eager);

  /// The step of a send, after run().
  std::uint64_t step(std::uint64_t send) const { return step_[send]; }

 private:
  using Kind = GoalProgram::Kind;

  void reset();
  void start(std::uint64_t i, std::uint64_t eager);
  void end(std::uint64_t i, std::uint64_t time);
  void release(std::uint64_t i, bool on_start, std::uint64_t time);

  const GoalProgram& program_;
  std::span<const std::uint64_t> partners_;
  std::vector<std::uint64_t> order_;  ///< dependencies, by the operation waited for
  std::vector<std::uint64_t> first_;  ///< of the dependencies that wait for an operation, in order_
  std::vector<std::uint64_t> waits_, ready_, step_, queue_;
  std::vector<bool> started_, ended_;
  std::vector<std::uint64_t> next_send_, next_receive_;  ///< steps, by rank
};

}  // namespace schedcc
