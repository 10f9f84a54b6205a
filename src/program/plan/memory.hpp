#pragma once

// The memory of all GPUs of a plan as one array of cells.

#include <cstdint>
#include <optional>
#include <vector>

#include "program/memory.hpp"
#include "program/plan/grid.hpp"
#include "schedcc/plan.hpp"

namespace schedcc::program {

using Cell = std::uint32_t;

/// The lengths of a GPU's buffers. In place, one that is given as 0 is the other one.
std::uint32_t input_chunks_of(const Plan& plan, Rank gpu);
std::uint32_t output_chunks_of(const Plan& plan, Rank gpu);

/// Cells of a GPU: its input, its output, and its scratch, once for each half. Packets take two
/// cells of scratch for each cell of data.
class PlanMemory {
 public:
  static constexpr std::uint64_t max_cells = std::uint64_t{1} << 20;

  PlanMemory(const Plan& plan, const PlanGrid& grid);

  std::uint64_t size() const { return starts_.back(); }
  /// Is the plan small enough for cells to be followed?
  bool fits() const { return size() <= max_cells; }
  std::uint32_t halves() const { return halves_; }

  /// A cell of a buffer; none if the buffer ends before it. `half` is that of scratch. In place,
  /// input and output share their cells.
  std::optional<Cell> find(Rank gpu, BufferKind buffer, std::uint64_t offset,
                           std::uint32_t half) const;
  /// The cells of a GPU's input and output: [first, end).
  Cell first(Rank gpu) const { return static_cast<Cell>(starts_[gpu]); }
  Cell scratch_first(Rank gpu) const {
    return static_cast<Cell>(starts_[gpu] + input(gpu) + output(gpu));
  }
  bool is_scratch(Rank gpu, Cell cell) const { return cell >= scratch_first(gpu); }
  Rank owner(Cell cell) const;
  /// "o[3]", the chunk of a cell.
  Slot slot(Cell cell) const;

 private:
  std::uint64_t input(Rank gpu) const {
    return std::uint64_t{input_chunks_of(plan_, gpu)} * grid_.cells;
  }
  std::uint64_t output(Rank gpu) const {
    return std::uint64_t{output_chunks_of(plan_, gpu)} * grid_.cells;
  }
  /// The cells of scratch in a half.
  std::uint64_t scratch(Rank gpu) const {
    return std::uint64_t{plan_.gpus[gpu].scratch} * grid_.cells * (plan_.packets() ? 2 : 1);
  }

  const Plan& plan_;
  PlanGrid grid_;
  std::uint32_t halves_;
  std::vector<std::uint64_t> starts_;  ///< by GPU, and the end
};

}  // namespace schedcc::program
