#pragma once

// Writes operations of a GPU one after another into as many threadblocks as they need.

#include <cstdint>
#include <vector>

#include "schedcc/plan.hpp"

namespace schedcc::program {

/// An operand: a range of the GPU's own buffers, or of those of another one.
struct PlanOperandRange {
  bool remote = false;
  Rank gpu = 0;  ///< remote
  BufferKind buffer = BufferKind::input;
  std::uint32_t index = 0, size = 1;
};

/// A sequence of operations. When a threadblock is full the next one continues, after a semaphore.
class PlanBlockBuilder {
 public:
  /// `lane` of `lanes` threadblocks that share each operation.
  PlanBlockBuilder(PlanGpu& gpu, std::uint32_t lane, std::uint32_t lanes);

  /// Synchronizes all threads, unless they have been since the last operation on data or wait.
  void synchronize();
  /// Signals to the GPUs, or waits for their signals.
  void signal_or_wait(const std::vector<Rank>& gpus, PlanOp op);
  /// Adds an operation on data.
  void add_data_operation(PlanOp op, const std::vector<PlanOperandRange>& src,
                          const std::vector<PlanOperandRange>& dst);
  /// Goes on in the next threadblock if fewer than that many operations fit into this one.
  void ensure_room(std::uint32_t steps);
  void finish();

 private:
  void add(PlanStep step);
  void next_threadblock();
  bool has_room(const std::vector<std::uint32_t>& list, std::uint32_t number) const;
  std::uint32_t channel_to(Rank gpu) const;
  std::uint32_t buffer_of(const PlanOperandRange& place);
  static std::uint32_t index_in(std::vector<std::uint32_t>& list, std::uint32_t number);
  PlanRange range(const PlanOperandRange& place);

  PlanGpu& gpu_;
  std::uint32_t lane_, lanes_;
  PlanThreadblock block_;
  bool synchronized_ = true;
};

}  // namespace schedcc::program
