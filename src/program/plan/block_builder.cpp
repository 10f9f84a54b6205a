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

void PlanBlockBuilder::meet() {
  if (met_) return;
  add(step_of(PlanOp::nop));
  met_ = true;
}

void PlanBlockBuilder::signal(const std::vector<Rank>& gpus, PlanOp op) {
  for (std::size_t i = 0; i < gpus.size();) {
    reserve(1);
    PlanStep step = step_of(op);
    step.channel = PlanChannel::memory;
    while (i < gpus.size() && step.channels.size() < plan_limits::step_channels) {
      const std::uint32_t channel = channel_to(gpus[i]);
      if (!has_room(block_.memory, channel)) break;
      step.channels.push_back(place_in(block_.memory, channel));
      ++i;
    }
    if (step.channels.empty()) {
      next();
      continue;
    }
    block_.steps.push_back(std::move(step));
    if (op == PlanOp::wait || op == PlanOp::relaxed_wait) met_ = false;
  }
}

void PlanBlockBuilder::data(PlanOp op, const std::vector<PlanPlace>& src,
                            const std::vector<PlanPlace>& dst) {
  reserve(1);
  std::vector<std::uint32_t> buffers = block_.memory_buffers;
  for (const PlanPlace& place : dst) {
    if (place.remote) place_in(buffers, buffer_of(place));
  }
  if (buffers.size() > plan_limits::remote_buffers) next();
  PlanStep step = step_of(op);
  for (const PlanPlace& place : src) step.src.push_back(range(place));
  for (const PlanPlace& place : dst) {
    step.dst.push_back(range(place));
    if (place.remote) step.channel = PlanChannel::memory;
  }
  step.part = lane_;
  step.parts = lanes_;
  block_.steps.push_back(std::move(step));
  met_ = false;
}

void PlanBlockBuilder::add(PlanStep step) {
  reserve(1);
  block_.steps.push_back(std::move(step));
}

void PlanBlockBuilder::reserve(std::uint32_t steps) {
  if (block_.steps.size() + steps > usable_steps) next();
}

void PlanBlockBuilder::next() {
  const auto semaphore = static_cast<std::uint32_t>(gpu_.semaphores.size());
  gpu_.semaphores.push_back(0);
  block_.steps.push_back(step_of(PlanOp::nop));
  block_.steps.push_back(semaphore_step(PlanOp::semaphore_release, semaphore));
  finish();
  block_.steps.push_back(semaphore_step(PlanOp::semaphore_acquire, semaphore));
  block_.steps.push_back(step_of(PlanOp::nop));
  met_ = true;
}

void PlanBlockBuilder::finish() {
  gpu_.blocks.push_back(std::move(block_));
  block_ = {};
}

bool PlanBlockBuilder::has_room(const std::vector<std::uint32_t>& list,
                                std::uint32_t number) const {
  return list.size() < plan_limits::channels || std::ranges::find(list, number) != list.end();
}

/// The lane-th channel of those to that GPU.
std::uint32_t PlanBlockBuilder::channel_to(Rank gpu) const {
  std::uint32_t before = lane_;
  for (std::uint32_t i = 0; i < gpu_.memory.size(); ++i) {
    if (gpu_.memory[i] == gpu && before-- == 0) return i;
  }
  return 0;
}

std::uint32_t PlanBlockBuilder::buffer_of(const PlanPlace& place) {
  const auto same = [&](const PlanRemoteBuffer& remote) {
    return remote.rank == place.gpu && remote.buffer == place.buffer;
  };
  const auto found = std::ranges::find_if(gpu_.remote, same);
  if (found != gpu_.remote.end()) return static_cast<std::uint32_t>(found - gpu_.remote.begin());
  gpu_.remote.push_back({place.gpu, place.buffer});
  return static_cast<std::uint32_t>(gpu_.remote.size() - 1);
}

std::uint32_t PlanBlockBuilder::place_in(std::vector<std::uint32_t>& list, std::uint32_t number) {
  const auto found = std::ranges::find(list, number);
  const auto place = static_cast<std::uint32_t>(found - list.begin());
  if (found == list.end()) list.push_back(number);
  return place;
}

PlanRange PlanBlockBuilder::range(const PlanPlace& place) {
  PlanRange result{.buffer = place.buffer, .index = place.index, .size = place.size};
  if (place.remote) {
    result.where = PlanRange::Where::remote;
    result.id = place_in(block_.memory_buffers, buffer_of(place));
  }
  return result;
}

}  // namespace schedcc::program
