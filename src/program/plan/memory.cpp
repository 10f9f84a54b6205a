#include "program/plan/memory.hpp"

#include <algorithm>

namespace schedcc::program {

std::uint32_t input_chunks_of(const Plan& plan, Rank gpu) {
  const PlanGpu& g = plan.gpus[gpu];
  return plan.in_place && g.input == 0 ? g.output : g.input;
}

std::uint32_t output_chunks_of(const Plan& plan, Rank gpu) {
  const PlanGpu& g = plan.gpus[gpu];
  return plan.in_place && g.output == 0 ? g.input : g.output;
}

PlanMemory::PlanMemory(const Plan& plan, const PlanGrid& grid)
    : plan_(plan), grid_(grid), halves_(plan.two_halves ? 2 : 1), starts_{0} {
  for (Rank gpu = 0; gpu < plan.gpus.size(); ++gpu) {
    starts_.push_back(starts_.back() + input(gpu) + output(gpu) + halves_ * scratch(gpu));
  }
}

std::optional<Cell> PlanMemory::find(Rank gpu, BufferKind buffer, std::uint64_t offset,
                                     std::uint32_t half) const {
  const std::uint64_t inputs = input(gpu), outputs = output(gpu), begin = starts_[gpu];
  if (buffer == BufferKind::scratch) {
    if (offset >= scratch(gpu)) return std::nullopt;
    return static_cast<Cell>(begin + inputs + outputs + half * scratch(gpu) + offset);
  }
  const bool is_input = buffer == BufferKind::input;
  if (offset >= (is_input ? inputs : outputs)) return std::nullopt;
  if (plan_.in_place) {
    // The shorter buffer is part of the longer one; of two of the same length, the output counts.
    const std::uint64_t own = gpu * std::min(inputs, outputs);
    if (inputs == outputs) return static_cast<Cell>(begin + inputs + offset);
    if (is_input && inputs < outputs && own + offset < outputs) {
      return static_cast<Cell>(begin + inputs + own + offset);
    }
    if (!is_input && outputs < inputs && own + offset < inputs) {
      return static_cast<Cell>(begin + own + offset);
    }
  }
  return static_cast<Cell>(begin + (is_input ? 0 : inputs) + offset);
}

Rank PlanMemory::owner(Cell cell) const {
  return static_cast<Rank>(std::ranges::upper_bound(starts_, std::uint64_t{cell}) -
                           starts_.begin() - 1);
}

Slot PlanMemory::slot(Cell cell) const {
  const Rank gpu = owner(cell);
  std::uint64_t offset = cell - starts_[gpu];
  const auto at = [&](BufferKind buffer) {
    return Slot{buffer, static_cast<std::int32_t>(offset / grid_.cells)};
  };
  if (offset < input(gpu)) return at(BufferKind::input);
  offset -= input(gpu);
  if (offset < output(gpu)) return at(BufferKind::output);
  offset = (offset - output(gpu)) % std::max<std::uint64_t>(1, scratch(gpu));
  return at(BufferKind::scratch);
}

}  // namespace schedcc::program
