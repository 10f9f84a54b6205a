#include "program/plan/block_builder.hpp"

#include <algorithm>

#include "program/plan/limits.hpp"

namespace schedcc::program {

namespace {

/// The last two operations of a threadblock hand over to the next one.
constexpr std::uint32_t usable_steps = plan_limits::steps - 2;

PlanStep step_of(PlanOp op) {
  PlanStep step;
  step.op = op;
  return step;
}

PlanStep semaphore_step(PlanOp op, std::uint32_t semaphore) {
  PlanStep step = step_of(op);
  step.semaphores.push_back(semaphore);
  return step;
}

}  // namespace

PlanBlockBuilder::PlanBlockBuilder(PlanGpu& gpu, std::uint32_t lane, std::uint32_t lanes)
    : gpu_(gpu), lane_(lane), lanes_(lanes) {}

void PlanBlockBuilder::synchronize() {
  if (synchronized_) return;
  add(step_of(PlanOp::nop));
  synchronized_ = true;
}

void PlanBlockBuilder::signal_or_wait(const std::vector<Rank>& gpus, PlanOp op) {
  for (std::size_t i = 0; i < gpus.size();) {
    ensure_room(1);
    PlanStep step = step_of(op);
    step.channel = PlanChannel::memory;
    while (i < gpus.size() && step.channels.size() < plan_limits::step_channels) {
      const std::uint32_t channel = channel_to(gpus[i]);
      if (!has_room(block_.memory, channel)) break;
      step.channels.push_back(index_in(block_.memory, channel));
      ++i;
    }
    if (step.channels.empty()) {
      next_threadblock();
      continue;
    }
    block_.steps.push_back(std::move(step));
    if (op == PlanOp::wait || op == PlanOp::relaxed_wait) synchronized_ = false;
  }
}

void PlanBlockBuilder::add_data_operation(PlanOp op, const std::vector<PlanOperandRange>& src,
                                          const std::vector<PlanOperandRange>& dst) {
  ensure_room(1);
  std::vector<std::uint32_t> buffers = block_.memory_buffers;
  for (const PlanOperandRange& place : dst) {
    if (place.remote) index_in(buffers, buffer_of(place));
  }
  if (buffers.size() > plan_limits::remote_buffers) next_threadblock();
  PlanStep step = step_of(op);
  for (const PlanOperandRange& place : src) step.src.push_back(range(place));
  for (const PlanOperandRange& place : dst) {
    step.dst.push_back(range(place));
    if (place.remote) step.channel = PlanChannel::memory;
  }
  step.part = lane_;
  step.parts = lanes_;
  block_.steps.push_back(std::move(step));
  synchronized_ = false;
}

void PlanBlockBuilder::add(PlanStep step) {
  ensure_room(1);
  block_.steps.push_back(std::move(step));
}

void PlanBlockBuilder::ensure_room(std::uint32_t steps) {
  if (block_.steps.size() + steps > usable_steps) next_threadblock();
}

void PlanBlockBuilder::next_threadblock() {
  const auto semaphore = static_cast<std::uint32_t>(gpu_.semaphores.size());
  gpu_.semaphores.push_back(0);
  block_.steps.push_back(step_of(PlanOp::nop));
  block_.steps.push_back(semaphore_step(PlanOp::semaphore_release, semaphore));
  finish();
  block_.steps.push_back(semaphore_step(PlanOp::semaphore_acquire, semaphore));
  block_.steps.push_back(step_of(PlanOp::nop));
  synchronized_ = true;
}

void PlanBlockBuilder::finish() {
  gpu_.blocks.push_back(std::move(block_));
  block_ = {};
}

bool PlanBlockBuilder::has_room(const std::vector<std::uint32_t>& list,
                                std::uint32_t number) const {
  return list.size() < plan_limits::channels || std::ranges::find(list, number) != list.end();
}

/// The channel number `lane_` among those to `gpu`.
std::uint32_t PlanBlockBuilder::channel_to(Rank gpu) const {
  std::uint32_t remaining = lane_;
  for (std::uint32_t i = 0; i < gpu_.memory.size(); ++i) {
    if (gpu_.memory[i] == gpu && remaining-- == 0) return i;
  }
  return 0;
}

std::uint32_t PlanBlockBuilder::buffer_of(const PlanOperandRange& place) {
  const auto same = [&](const PlanRemoteBuffer& remote) {
    return remote.rank == place.gpu && remote.buffer == place.buffer;
  };
  const auto found = std::ranges::find_if(gpu_.remote, same);
  if (found != gpu_.remote.end()) return static_cast<std::uint32_t>(found - gpu_.remote.begin());
  gpu_.remote.push_back({place.gpu, place.buffer});
  return static_cast<std::uint32_t>(gpu_.remote.size() - 1);
}

std::uint32_t PlanBlockBuilder::index_in(std::vector<std::uint32_t>& list, std::uint32_t number) {
  const auto found = std::ranges::find(list, number);
  const auto place = static_cast<std::uint32_t>(found - list.begin());
  if (found == list.end()) list.push_back(number);
  return place;
}

PlanRange PlanBlockBuilder::range(const PlanOperandRange& place) {
  PlanRange result{.buffer = place.buffer, .index = place.index, .size = place.size};
  if (place.remote) {
    result.where = PlanRange::Where::remote;
    result.id = index_in(block_.memory_buffers, buffer_of(place));
  }
  return result;
}

}  // namespace schedcc::program
