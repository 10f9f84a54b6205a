// Facts of the runtime (microsoft/mscclpp 1f5f065, execution_plan.cc and execution_kernel.hpp):
//
// - Threadblocks that share an operation divide each range by itself (calcOffset).
// - A GPU adds the offset of the invocation's half of scratch to accesses to its own scratch, and
//   to those of packets elsewhere; all other accesses to the scratch of other GPUs, by switches,
//   and by a network interface go to the first half.
// - The address of another GPU's input (output) is the begin of its allocation and the offset that
//   the GPU's own input (output) has in its own one. In place, an allgather's input is a block of
//   the output, a reduce-scatter's output one of the input.
// - A network interface reads the own input and output from the begin of their allocation.

#include "program/plan/operands.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace schedcc::program {

namespace {

/// In place, the shorter one of a GPU's buffers is a block of the longer one.
struct SharedBuffer {
  BufferKind shorter, longer;
  std::uint64_t block;  ///< cells
};

std::optional<SharedBuffer> shared(const Plan& plan, Rank gpu, std::uint32_t cells) {
  const std::uint64_t input = input_chunks_of(plan, gpu), output = output_chunks_of(plan, gpu);
  if (!plan.in_place || input == output) return std::nullopt;
  if (input < output) return SharedBuffer{BufferKind::input, BufferKind::output, input * cells};
  return SharedBuffer{BufferKind::output, BufferKind::input, output * cells};
}

}  // namespace

bool puts_by_port(const PlanStep& step) {
  return step.channel == PlanChannel::port &&
         (step.op == PlanOp::put || step.op == PlanOp::put_signal ||
          step.op == PlanOp::put_signal_flush || step.op == PlanOp::put_packets);
}

PlanPair executed_pair(const PlanStep& step, std::size_t i) {
  PlanPair pair{step.src[i], step.dst[i]};
  // The runtime uses the offset of each side for the other one.
  if (step.op == PlanOp::get) std::swap(pair.from.index, pair.to.index);
  // All sources are in the buffer of the first one, unless a network interface reads them.
  if (pair.from.where == PlanRange::Where::local && !puts_by_port(step))
    pair.from.buffer = step.src.front().buffer;
  return pair;
}

PlanOperand::PlanOperand(const Plan& plan, const PlanMemory& memory, const PlanGrid& grid,
                         const PlanSite& site, const PlanRange& range, AccessKind kind, bool packet)
    : memory_(&memory), kind_(kind), packet_(packet), cells_(grid.cells) {
  const PlanStep& step = site.step;
  const std::uint64_t all = std::uint64_t{range.size} * grid.cells;
  const std::uint64_t from = part_begin(all, step.part, step.parts);
  begin_ = std::uint64_t{range.index} * grid.cells + from;
  length_ = part_begin(all, step.part + 1, step.parts) - from;
  if (site.pipeline != nullptr && form(step.op).kind != PlanKind::pack &&
      form(step.op).kind != PlanKind::packets) {
    const std::uint64_t unit = std::uint64_t{grid.slice} * (site.pipeline->unit / grid.unit);
    const std::uint64_t offset = site.slice * unit;
    overrun_ = offset > length_;
    begin_ += offset;
    length_ = overrun_ ? 0 : std::min(length_ - offset, unit);
  }
  const bool port = step.channel == PlanChannel::port;
  switch (range.where) {
    case PlanRange::Where::local: {
      // Sources of a network interface are named by their allocation.
      const bool posted =
          port && kind == AccessKind::read && form(step.op).kind == PlanKind::transfer;
      Target target{site.gpu, range.buffer, 0, posted ? 0 : site.half};
      const auto both = shared(plan, site.gpu, grid.cells);
      if (posted && both && range.buffer == both->shorter) target.buffer = both->longer;
      targets_.push_back(target);
      break;
    }
    case PlanRange::Where::remote: {
      const auto& list = port ? site.block.port_buffers : site.block.memory_buffers;
      const PlanRemoteBuffer& remote = plan.gpus[site.gpu].remote[list[range.id]];
      Target target{remote.rank, remote.buffer, 0, packet ? site.half : 0};
      const auto both = shared(plan, remote.rank, grid.cells);
      if (both && remote.buffer == both->shorter) {
        target.buffer = both->longer;
        target.shift = site.gpu * both->block;
      }
      targets_.push_back(target);
      break;
    }
    case PlanRange::Where::multicast: {
      const PlanSwitchChannel& group =
          plan.gpus[site.gpu].multicast[site.block.multicast[range.id]];
      for (const Rank rank : group.ranks) {
        targets_.push_back({rank, group.buffer, 0, packet ? site.half : 0});
      }
      break;
    }
  }
}

std::vector<Cell> PlanOperand::cells(std::uint64_t i) const {
  std::vector<Cell> result;
  for (const Target& target : targets_) {
    const std::uint64_t offset = begin_ + i + target.shift;
    if (packet_ && target.buffer != BufferKind::scratch) return {};
    const auto cell =
        memory_->find(target.gpu, target.buffer, packet_ ? 2 * offset : offset, target.half);
    if (!cell) return {};
    if (packet_ && !memory_->find(target.gpu, target.buffer, 2 * offset + 1, target.half))
      return {};
    result.push_back(*cell);
  }
  return result;
}

}  // namespace schedcc::program
