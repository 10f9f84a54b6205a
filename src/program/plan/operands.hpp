#pragma once

// The cells that an operation of a plan accesses.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/access.hpp"
#include "program/plan/forms.hpp"
#include "program/plan/memory.hpp"

namespace schedcc::program {

/// Where an operation is executed.
struct PlanSite {
  Rank gpu;
  const PlanThreadblock& block;
  const PlanStep& step;
  std::uint32_t half;       ///< of scratch, in this invocation
  std::uint32_t slice = 0;  ///< of the pipeline around it
  const PlanStep* pipeline = nullptr;
};

/// Source i of an operation and its destination, as they are executed.
struct PlanPair {
  PlanRange from, to;
};
/// Of the kinds `transfer` and `pack`, whose sources have a destination each.
PlanPair executed_pair(const PlanStep& step, std::size_t i);
/// Does a network interface move its data?
bool puts_by_port(const PlanStep& step);

/// The cells of one operand, relative to the operation's first.
class PlanOperand {
 public:
  /// A source is read, a destination written. Packets are accessed at twice the offset.
  PlanOperand(const Plan& plan, const PlanMemory& memory, const PlanGrid& grid,
              const PlanSite& site, const PlanRange& range, AccessKind kind, bool packet);

  /// How many cells the operation processes if the length is that of this operand.
  std::uint64_t length() const { return length_; }
  /// Does the pipeline's slice begin beyond the end of the operand?
  bool overrun() const { return overrun_; }
  /// The cell of each GPU's memory that cell `i` is in: one, or one for each member of a switch
  /// channel. For packets, the first of two. Empty if one of them does not exist.
  std::vector<Cell> cells(std::uint64_t i) const;
  AccessKind kind() const { return kind_; }
  bool packet() const { return packet_; }
  /// The GPU of a buffer, the first of several, and the place in it, for messages.
  Rank gpu() const { return targets_.empty() ? 0 : targets_.front().gpu; }
  BufferKind buffer() const { return targets_.empty() ? BufferKind::scratch : targets_[0].buffer; }
  std::uint64_t chunk(std::uint64_t i) const { return (begin_ + i) / cells_; }

 private:
  struct Target {
    Rank gpu;
    BufferKind buffer;
    std::uint64_t shift;  ///< cells from the begin of the buffer
    std::uint32_t half;
  };

  const PlanMemory* memory_;
  AccessKind kind_;
  bool packet_;
  std::uint32_t cells_;
  std::uint64_t begin_ = 0, length_ = 0;
  bool overrun_ = false;
  std::vector<Target> targets_;
};

}  // namespace schedcc::program
