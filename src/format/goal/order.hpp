#pragma once

// Checks that a GOAL program keeps the steps of its comments.

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/goal/program.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class GoalOrder {
 public:
  /// `partners` as in GoalRun. All must outlive this.
  GoalOrder(const GoalProgram& program, std::span<const std::uint32_t> partners,
            const Machine& machine, const std::string& file);

  /// Throws InputError unless operations are in the order of their steps and none can begin before
  /// all previous steps of the rank have ended; on a logp machine, before all previous operations
  /// have ended, where a send ends when it has begun.
  void check() const;

 private:
  /// A group: the operations of a rank in a step; on a logp machine each by itself. Groups are
  /// numbered through all ranks.
  struct OperationGroup {
    std::uint32_t group = 0, member = 0;
    auto operator<=>(const OperationGroup&) const = default;
  };

  std::pair<std::uint64_t, bool> begin(std::uint32_t i) const;
  void place_all();
  /// The position up to which all operations have ended before operation i begins, derived from the
  /// positions of the previous operations.
  OperationGroup ended_before(std::uint32_t i, const std::vector<OperationGroup>& known) const;
  [[noreturn]] void fail(std::uint32_t i, const std::string& message) const;

  const GoalProgram& program_;
  std::span<const std::uint32_t> partners_;
  const std::string& file_;
  bool cycles_;
  std::uint64_t delay_;
  std::vector<GoalProgram::Dependency> dependencies_;  ///< by the waiting operation
  std::vector<std::uint32_t> first_;                   ///< of an operation, in dependencies_
  std::vector<OperationGroup> places_;                 ///< of sends and receives
  std::vector<std::uint32_t> sizes_;                   ///< of groups
  std::vector<std::uint32_t> first_group_;             ///< of ranks
};

}  // namespace schedcc
