#pragma once

// Executes a plan with symbolic data, a value in every cell of every buffer, in the first
// invocations: a cell is a part of a chunk. Without races every order of its actions gives the
// same.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "program/contents.hpp"
#include "program/plan/trace.hpp"
#include "program/symbolic_value.hpp"

namespace schedcc::program {

class PlanValues {
 public:
  explicit PlanValues(const PlanTrace& trace);

  /// Executes a complete run.
  void run(const std::vector<Node>& order);
  /// One of a kind for each operation.
  const std::vector<InvalidUse>& invalid_uses() const { return invalid_uses_; }
  /// One for each GPU and invocation.
  const std::vector<WrongEnd>& wrong_ends() const { return wrong_ends_; }
  std::optional<Disagreement> disagreement() const { return sums_.disagreement(data_); }

 private:
  struct HeldValue {
    SymbolicValue value;
    std::uint32_t invocation = UINT32_MAX;  ///< scratch: in which it was written
  };

  void user(const PlanAction& action);
  void begin(Rank gpu, std::uint32_t invocation);
  void end(Rank gpu, std::uint32_t invocation);
  void data(Node node, std::uint32_t first, std::uint32_t count);
  SymbolicValue read(Node node, const PlanAccess& access);
  void write(Node node, const PlanAccess& access, const SymbolicValue& value);
  void report(InvalidUse::Kind kind, Node node, Cell cell);
  /// Notes in `end` if this chunk of the output is not as the collective requires.
  void check_end(WrongEnd& end, std::uint32_t offset, Chunk chunk);

  const PlanTrace& trace_;
  const Problem& problem_;
  Program shell_;  ///< the sizes of the buffers, for their contents
  Contents contents_;
  std::vector<HeldValue> cells_;
  std::unordered_map<Cell, HeldValue> packets_;
  SymbolicData data_{problem_};
  std::vector<InvalidUse> invalid_uses_;
  std::vector<WrongEnd> wrong_ends_;
  FinalSums sums_;
};

}  // namespace schedcc::program
