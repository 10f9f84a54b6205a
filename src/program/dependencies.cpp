// A read of a place depends on its last write, a write on that and on all reads since. Dependencies
// within a threadblock, or implied by others, are left out. An instruction has one dependency;
// further ones are on nops before it.

#include "program/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "core/vector_clock.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

namespace {

class Dependencies {
 public:
  Dependencies(const Memory& memory, const std::vector<PlacedInstruction>& order,
               std::size_t blocks)
      : memory_(memory), order_(order), size_(blocks), waits_(order.size()), at_(order.size()) {
    find();
    number();
  }

  void append(Gpu& gpu) const {
    std::vector<bool> awaited(order_.size());
    for (const auto& list : waits_) {
      for (const std::uint32_t n : list) awaited[n] = true;
    }
    for (std::uint32_t n = 0; n < order_.size(); ++n) {
      auto& steps = gpu.blocks[order_[n].block].steps;
      const auto& list = waits_[n];
      for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        Instruction nop;
        nop.dst.buffer = BufferKind::output;
        await(nop, list[i]);
        steps.push_back(nop);
      }
      Instruction step = order_[n].step;
      if (!list.empty()) await(step, list.back());
      step.awaited = awaited[n];
      steps.push_back(step);
    }
  }

 private:
  /// The last write of a cell, and the reads since.
  struct CellUse {
    std::uint32_t write = none;
    std::vector<std::uint32_t> reads;
  };
  void find() {
    // How many instructions of each threadblock are known to be done.
    const VectorClock nothing(size_.size());
    std::vector<VectorClock> clocks(size_.size(), nothing), done(order_.size(), nothing);
    std::vector<std::uint32_t> size(size_.size());
    for (std::uint32_t n = 0; n < order_.size(); ++n) {
      const std::uint32_t b = order_[n].block;
      std::vector<std::uint32_t> earlier = conflicts(n);
      // The latest first: dependencies that they imply are not needed.
      std::ranges::sort(earlier, std::greater());
      for (const std::uint32_t e : earlier) {
        if (clocks[b][order_[e].block] > at_[e]) continue;
        waits_[n].push_back(e);
        clocks[b].join(done[e]);
      }
      at_[n] = size[b]++;
      clocks[b].set(b, size[b]);
      done[n] = clocks[b];
    }
  }

  /// The dependencies of instruction n, perhaps with duplicates; then n is recorded.
  std::vector<std::uint32_t> conflicts(std::uint32_t n) {
    const Instruction& step = order_[n].step;
    const OpEffects effect = effects(step.op);
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; effect.reads_src && i < step.count; ++i) {
      CellUse& use = uses_[memory_.cell(step.src, i)];
      if (use.write != none) result.push_back(use.write);
      use.reads.push_back(n);
    }
    for (std::uint32_t i = 0; effect.writes_dst && i < step.count; ++i) {
      CellUse& use = uses_[memory_.cell(step.dst, i)];
      if (use.write != none) result.push_back(use.write);
      result.insert(result.end(), use.reads.begin(), use.reads.end());
      use = {n, {}};
    }
    std::erase(result, n);
    return result;
  }

  /// The numbers in the threadblocks, nops included.
  void number() {
    for (std::uint32_t n = 0; n < order_.size(); ++n) {
      std::uint32_t& at = size_[order_[n].block];
      if (waits_[n].size() > 1) at += static_cast<std::uint32_t>(waits_[n].size() - 1);
      at_[n] = at++;
    }
  }

  void await(Instruction& step, std::uint32_t n) const {
    step.block = static_cast<std::int32_t>(order_[n].block);
    step.step = static_cast<std::int32_t>(at_[n]);
  }

  const Memory& memory_;
  const std::vector<PlacedInstruction>& order_;
  std::vector<std::uint32_t> size_;  ///< by threadblock
  std::vector<std::vector<std::uint32_t>> waits_;
  std::vector<std::uint32_t> at_;  ///< its number in its threadblock
  std::unordered_map<std::uint64_t, CellUse> uses_;
};

}  // namespace

void append(Gpu& gpu, const Memory& memory, const std::vector<PlacedInstruction>& order) {
  Dependencies(memory, order, gpu.blocks.size()).append(gpu);
}

}  // namespace schedcc::program
