#pragma once

// Small execution plans, for tests. All GPUs are connected with all others, by memory and by port
// channels, twice; every threadblock has all channels and all remote buffers.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "format/mscclpp/reader.hpp"
#include "schedcc/check.hpp"
#include "schedcc/plan.hpp"

namespace plans {

using namespace schedcc;

inline constexpr BufferKind in = BufferKind::input, out = BufferKind::output,
                            scratch = BufferKind::scratch;

/// A range of the GPU's own buffers.
inline PlanRange own(BufferKind buffer, std::uint32_t index, std::uint32_t size = 1) {
  PlanRange range;
  range.buffer = buffer;
  range.index = index;
  range.size = size;
  return range;
}
/// Of those of another GPU.
inline PlanRange at(Rank gpu, BufferKind buffer, std::uint32_t index, std::uint32_t size = 1) {
  PlanRange range = own(buffer, index, size);
  range.where = PlanRange::Where::remote;
  range.id = gpu * 3 + static_cast<std::uint32_t>(buffer);
  return range;
}
/// Of all GPUs, by a switch.
inline PlanRange all(BufferKind buffer, std::uint32_t index, std::uint32_t size = 1) {
  PlanRange range = own(buffer, index, size);
  range.where = PlanRange::Where::multicast;
  range.id = static_cast<std::uint32_t>(buffer);
  return range;
}

inline PlanStep step(PlanOp op, std::vector<PlanRange> src = {}, std::vector<PlanRange> dst = {},
                     PlanChannel channel = PlanChannel::memory) {
  PlanStep result;
  result.op = op;
  result.src = std::move(src);
  result.dst = std::move(dst);
  result.channel = channel;
  return result;
}
inline PlanStep nop() { return step(PlanOp::nop); }
/// On the channel number `lane` to each GPU; `gpus` ranks in all, and `rank` is this one.
inline PlanStep signals(PlanOp op, Rank ranks, Rank rank, const std::vector<Rank>& gpus,
                        PlanChannel channel = PlanChannel::memory, std::uint32_t lane = 0) {
  PlanStep result = step(op, {}, {}, channel);
  for (const Rank gpu : gpus) {
    result.channels.push_back(lane * (ranks - 1) + gpu - (gpu > rank ? 1 : 0));
  }
  return result;
}
inline PlanStep semaphore(PlanOp op, std::uint32_t number) {
  PlanStep result = step(op);
  result.semaphores = {number};
  return result;
}
inline PlanStep barrier(std::uint32_t number, std::uint32_t threadblocks) {
  PlanStep result = step(PlanOp::barrier);
  result.barrier = number;
  result.threadblocks = threadblocks;
  return result;
}

/// A plan without operations. `chunks`: of the input, output and scratch of each GPU.
inline Plan empty(const std::string& collective, Rank ranks, std::uint32_t input,
                  std::uint32_t output, std::uint32_t scratch_chunks, std::size_t blocks = 1) {
  Plan plan;
  plan.name = "test";
  plan.collective = collective;
  plan.protocol = "Simple";
  plan.max_bytes = 1 << 20;
  plan.gpus.resize(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    PlanGpu& gpu = plan.gpus[rank];
    gpu.input = input;
    gpu.output = output;
    gpu.scratch = scratch_chunks;
    PlanThreadblock block;
    for (int lane = 0; lane < 2; ++lane) {
      for (Rank peer = 0; peer < ranks; ++peer) {
        if (peer == rank) continue;
        block.memory.push_back(static_cast<std::uint32_t>(gpu.memory.size()));
        block.port.push_back(static_cast<std::uint32_t>(gpu.port.size()));
        gpu.memory.push_back(peer);
        gpu.port.push_back(peer);
      }
    }
    for (Rank peer = 0; peer < ranks; ++peer) {
      for (const BufferKind buffer : {in, out, scratch}) {
        block.memory_buffers.push_back(static_cast<std::uint32_t>(gpu.remote.size()));
        block.port_buffers.push_back(block.memory_buffers.back());
        gpu.remote.push_back({peer, buffer});
      }
    }
    std::vector<Rank> everyone;
    for (Rank peer = 0; peer < ranks; ++peer) everyone.push_back(peer);
    for (const BufferKind buffer : {in, out, scratch}) {
      block.multicast.push_back(static_cast<std::uint32_t>(gpu.multicast.size()));
      gpu.multicast.push_back({buffer, everyone});
    }
    gpu.blocks.resize(blocks, block);
  }
  return plan;
}

inline Report proved(Plan plan) {
  find_problem(plan, "test");
  const Source source = plan_source(std::make_shared<Plan>(std::move(plan)), "test");
  return check(source, Machine());
}

inline Verdict verdict(const Report& report, std::string_view name) {
  for (const CheckResult& result : report.checks) {
    if (result.check == name) return result.verdict;
  }
  return Verdict::unknown;
}

}  // namespace plans
