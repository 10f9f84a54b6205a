#include "format/mscclpp/references.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "program/plan/forms.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class References {
 public:
  References(const Plan& plan, const std::string& file) : ranks_(plan.gpus.size()), file_(file) {}

  void check(const PlanGpu& gpu, const RemoteBuffers& remotes) const {
    for (const Rank peer : gpu.memory) require(gpu, peer, ranks_, "GPU");
    for (const Rank peer : gpu.port) require(gpu, peer, ranks_, "GPU");
    for (const PlanRemoteBuffer& remote : gpu.remote) require(gpu, remote.rank, ranks_, "GPU");
    for (const PlanSwitchChannel& group : gpu.multicast) {
      for (const Rank rank : group.ranks) require(gpu, rank, ranks_, "GPU");
    }
    for (const PlanThreadblock& block : gpu.blocks) {
      check(gpu, block, remotes);
      for (const PlanStep& step : block.steps) check(gpu, block, step);
    }
  }

 private:
  void check(const PlanGpu& gpu, const PlanThreadblock& block, const RemoteBuffers& remotes) const {
    for (const auto n : block.memory) require(block, n, gpu.memory.size(), "memory channel");
    for (const auto n : block.port) require(block, n, gpu.port.size(), "port channel");
    for (const auto n : block.multicast) {
      require(block, n, gpu.multicast.size(), "switch channel");
    }
    for (const auto& [buffers, kind] : {std::pair(&block.memory_buffers, PlanChannel::memory),
                                        std::pair(&block.port_buffers, PlanChannel::port)}) {
      for (const auto n : *buffers) {
        require(block, n, gpu.remote.size(), "remote buffer");
        const std::vector<PlanChannel>& kinds = remotes[n].kinds;
        if (std::ranges::find(kinds, kind) != kinds.end()) continue;
        fail(block, fmt::format("remote buffer {} is not accessed by {} channels", n,
                                schedcc::name(kind)));
      }
    }
  }

  void check(const PlanGpu& gpu, const PlanThreadblock& block, const PlanStep& step) const {
    const bool port = step.channel == PlanChannel::port;
    const auto& own = port ? block.port : block.memory;
    const bool addressed = step.channel == PlanChannel::memory || port;
    if (addressed) {
      for (const auto n : step.channels) {
        require(step, n, own.size(), port ? "port channel" : "memory channel");
      }
    }
    const bool posts = port && step.op != PlanOp::flush && !step.dst.empty();
    if (posts && step.channels.size() < step.dst.size()) {
      fail(step, fmt::format("{0} destinations need at least {0} 'channel_ids', not {1}",
                             step.dst.size(), step.channels.size()));
    }
    for (const auto n : step.semaphores) require(step, n, gpu.semaphores.size(), "semaphore");
    for (const auto* ranges : {&step.src, &step.dst}) {
      for (const PlanRange& range : *ranges) {
        if (range.where == PlanRange::Where::multicast) {
          require(step, range.id, block.multicast.size(), "switch channel");
        } else if (range.where == PlanRange::Where::remote) {
          if (!addressed) {
            fail(step, "operands of other GPUs need the 'channel_type' memory or port");
          }
          require(step, range.id, port ? block.port_buffers.size() : block.memory_buffers.size(),
                  "remote buffer");
        }
      }
    }
  }

  template <typename T>
  void require(const T& at, std::uint64_t number, std::size_t count, std::string_view what) const {
    if (number >= count) {
      fail(at, fmt::format("unknown {} {} (declared: {})", what, number, count));
    }
  }
  template <typename T>
  [[noreturn]] void fail(const T& at, const std::string& message) const {
    throw InputError({file_, at.line, at.column}, message);
  }

  std::size_t ranks_;
  const std::string& file_;
};

}  // namespace

void check_references(const Plan& plan, const std::vector<RemoteBuffers>& remotes,
                      const std::string& file) {
  const References references(plan, file);
  for (Rank gpu = 0; gpu < plan.gpus.size(); ++gpu) {
    references.check(plan.gpus[gpu], remotes[gpu]);
  }
}

}  // namespace schedcc
