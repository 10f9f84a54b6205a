#include "program/plan/limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "program/plan/forms.hpp"
#include "program/plan/location.hpp"

namespace schedcc::program {

namespace {

class PlanLimitCheck {
 public:
  explicit PlanLimitCheck(const Plan& plan) : plan_(plan) {}

  std::vector<ProgramFinding> run() {
    check_plan();
    for (gpu_ = 0; gpu_ < plan_.gpus.size(); ++gpu_) check_gpu(plan_.gpus[gpu_]);
    return std::move(found_);
  }

 private:
  void error(std::string_view check, const std::string& message) {
    found_.push_back({check, location(plan_, gpu_, block_, step_), subject() + message});
  }
  void note(std::string_view kind, std::string message) {
    found_.push_back({"limits", location(plan_, gpu_, block_, step_), std::move(message), kind});
  }
  /// What an error is about: the beginning of its message.
  std::string subject() const {
    if (gpu_ == none) return "";
    if (block_ == none) return fmt::format("GPU {}: ", gpu_);
    if (step_ == none) return fmt::format("threadblock {} of GPU {}: ", block_, gpu_);
    const PlanStep& step = plan_.gpus[gpu_].blocks[block_].steps[step_];
    return fmt::format("operation {} ({}) of threadblock {} of GPU {}: ", step_, name(step.op),
                       block_, gpu_);
  }
  void most(std::uint64_t number, std::uint64_t limit, std::string_view noun,
            std::string_view where) {
    if (number <= limit) return;
    error("limits", fmt::format("{} {}, and the runtime allows at most {}", where,
                                counted(number, noun), limit));
  }

  void check_plan() {
    using namespace plan_limits;
    if (plan_.threads == 0 || plan_.threads > threads) {
      error("limits", fmt::format("a threadblock has {} threads, and a GPU runs 1 to {}",
                                  plan_.threads, threads));
    }
    if (plan_.alignment == 0) error("limits", "'buffer_alignment' is 0");
    if (plan_.min_bytes > plan_.max_bytes) {
      error("limits", "'min_message_size' is above 'max_message_size'");
    }
    if (const std::uint64_t bytes = addressable_bytes(plan_); plan_.max_bytes > bytes) {
      note("offsets", fmt::format("offsets have 32 bits: the plan serves calls of up to {} bytes, "
                                  "and 'max_message_size' is larger",
                                  bytes));
    }
    const auto other_scratch = std::ranges::find_if(
        plan_.gpus, [&](const PlanGpu& gpu) { return gpu.scratch != plan_.gpus.front().scratch; });
    if (plan_.two_halves && other_scratch != plan_.gpus.end()) {
      error("limits",
            "scratch differs in length between GPUs, and a sender assumes that the second half of "
            "another GPU's begins where its own does");
    }
    std::uint64_t scratch = 0;
    for (const PlanGpu& gpu : plan_.gpus) scratch = std::max<std::uint64_t>(scratch, gpu.scratch);
    if (plan_.reuse && scratch > 0) {
      note("scratch", fmt::format("with 'reuse_resources' a chunk of scratch has at most {} bytes, "
                                  "and the plan serves no larger chunks",
                                  shared_scratch / (plan_.two_halves ? 4 : 2) / scratch));
    }
  }

  void check_gpu(const PlanGpu& gpu) {
    if (gpu.input == 0 || gpu.output == 0) {
      error("limits", fmt::format("'{}' is 0, and the runtime divides by it",
                                  gpu.input == 0 ? "input_chunks" : "output_chunks"));
    }
    for (const PlanRemoteBuffer& remote : gpu.remote) {
      if (plan_.reuse && remote.buffer != BufferKind::scratch) {
        note("buffers",
             "with 'reuse_resources' the runtime keeps the inputs and outputs of other GPUs from "
             "the first call of a plan with this name: every call must pass the same buffers");
      }
    }
    check_groups(gpu);
    for (block_ = 0; block_ < gpu.blocks.size(); ++block_) check_block(gpu.blocks[block_]);
    block_ = none;
    check_barriers(gpu);
  }

  /// The members of a switch channel create it together, each by its own number.
  void check_groups(const PlanGpu& gpu) {
    for (std::size_t i = 0; i < gpu.multicast.size(); ++i) {
      const PlanSwitchChannel& group = gpu.multicast[i];
      if (std::ranges::find(group.ranks, gpu_) == group.ranks.end()) {
        error("matching", fmt::format("switch channel {} does not connect the GPU itself", i));
      }
      const auto position = position_of(gpu, i);
      for (const Rank rank : group.ranks) {
        const auto& theirs = plan_.gpus[rank].multicast;
        std::size_t at = 0, seen = 0;
        for (; at < theirs.size(); ++at) {
          if (theirs[at].ranks == group.ranks && theirs[at].buffer == group.buffer &&
              seen++ == position)
            break;
        }
        if (at < theirs.size()) continue;
        error("matching",
              fmt::format("switch channel {} connects GPU {}, which does not declare it", i, rank));
      }
    }
  }
  static std::size_t position_of(const PlanGpu& gpu, std::size_t i) {
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      before += gpu.multicast[j].ranks == gpu.multicast[i].ranks &&
                gpu.multicast[j].buffer == gpu.multicast[i].buffer;
    }
    return before;
  }

  void check_block(const PlanThreadblock& block) {
    using namespace plan_limits;
    most(block.steps.size(), steps, "operation", "the threadblock has");
    for (const auto& [list, kind] :
         {std::pair(&block.memory, "memory channel"), std::pair(&block.port, "port channel"),
          std::pair(&block.multicast, "switch channel")}) {
      most(list->size(), channels, kind, "the threadblock has");
    }
    most(block.memory_buffers.size(), remote_buffers, "remote buffer", "the threadblock has");
    most(block.port_buffers.size(), remote_buffers, "remote buffer", "the threadblock has");
    for (step_ = 0; step_ < block.steps.size(); ++step_) check_step(block.steps[step_]);
    step_ = none;
  }

  void check_step(const PlanStep& step) {
    using namespace plan_limits;
    most(step.src.size(), operands, "source", "it has");
    most(step.dst.size(), operands, "destination", "it has");
    most(step.channels.size(), step_channels, "channel", "it has");
    most(step.semaphores.size(), semaphores, "semaphore", "it has");
    if (step.op == PlanOp::barrier && step.barrier >= barriers) {
      error("limits", fmt::format("there is no barrier {}: a GPU has {}", step.barrier, barriers));
    }
    if (!step.sums) error("delivery", "the runtime supports no reduction except the sum");
    const bool reduces =
        form(step.op).kind == PlanKind::reduce || step.op == PlanOp::multi_reduce_store;
    if (reduces && plan_.alignment % element != 0) {
      error("limits",
            fmt::format("'buffer_alignment' is not a multiple of {}: the runtime reduces the "
                        "rest of a chunk at wrong offsets",
                        element));
    }
    if (step.op == PlanOp::pipeline && step.unit % element != 0) {
      error("limits",
            fmt::format("'unit_size' is not a multiple of {}: the runtime handles the rest "
                        "of a slice at wrong offsets",
                        element));
    }
    if (step.op == PlanOp::flush) note("flush", "'flush' has no effect in the runtime");
    if (step.op == PlanOp::put_packets && step.channel == PlanChannel::port) {
      note("ppkt", "'ppkt' on a port channel sends scratch of the process's first plan only");
    }
    const bool signals = step.op == PlanOp::put_signal || step.op == PlanOp::put_signal_flush;
    if (signals && step.channel != PlanChannel::port) {
      note("pws", fmt::format("'{}' signals on port channels only", name(step.op)));
    }
  }

  /// All threadblocks that name a barrier wait for one another.
  void check_barriers(const PlanGpu& gpu) {
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> visits;
    for (std::uint32_t b = 0; b < gpu.blocks.size(); ++b) {
      for (const PlanStep& step : gpu.blocks[b].steps) {
        if (step.op == PlanOp::barrier) ++visits[step.barrier][b];
      }
    }
    for (block_ = 0; block_ < gpu.blocks.size(); ++block_) {
      const auto& steps = gpu.blocks[block_].steps;
      for (step_ = 0; step_ < steps.size(); ++step_) {
        const PlanStep& step = steps[step_];
        if (step.op != PlanOp::barrier) continue;
        const auto& all = visits[step.barrier];
        const bool equal = std::ranges::all_of(
            all, [&](const auto& visit) { return visit.second == all.at(block_); });
        if (all.size() == step.threadblocks && equal) continue;
        error("matching",
              all.size() == step.threadblocks
                  ? fmt::format("threadblocks reach barrier {} different numbers of times",
                                step.barrier)
                  : fmt::format("waits for {} at barrier {}, to which {}",
                                counted(step.threadblocks, "threadblock"), step.barrier,
                                all.size() == 1 ? "1 comes" : fmt::format("{} come", all.size())));
      }
    }
    block_ = step_ = none;
  }

  const Plan& plan_;
  std::uint32_t gpu_ = none, block_ = none, step_ = none;
  std::vector<ProgramFinding> found_;
};

}  // namespace

std::uint64_t addressable_bytes(const Plan& plan) {
  std::uint64_t bytes = UINT64_MAX;
  for (const PlanGpu& gpu : plan.gpus) {
    // Those of packets are doubled.
    const std::uint64_t chunks = std::max(
        {std::uint64_t{1}, std::uint64_t{gpu.input}, std::uint64_t{gpu.output},
         std::uint64_t{gpu.scratch} * (plan.packets() ? 2 : 1) * (plan.two_halves ? 2 : 1)});
    const std::uint64_t chunk = UINT32_MAX / chunks / plan_limits::element * plan_limits::element;
    const bool gathers = plan.problem.collective == Collective::allgather;
    bytes = std::min(bytes, chunk * std::max(1U, gathers ? gpu.output : gpu.input));
  }
  return bytes;
}

std::vector<ProgramFinding> static_findings(const Plan& plan) { return PlanLimitCheck(plan).run(); }

}  // namespace schedcc::program
