// Each event has a clock: how many events of each threadblock happen before it. A dependency on
// what the clock has without it is implied. Nops come with the step for which they wait, as they
// access nothing: of all their dependencies, the latest in the order of execution is considered
// first.

#include "program/implied.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "core/vector_clock.hpp"
#include "program/execution.hpp"
#include "program/fifo.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

namespace {

class Implied {
 public:
  Implied(const Wiring& wiring, const std::vector<Event>& order)
      : wiring_(wiring),
        place_(wiring.events()),
        named_(wiring.events()),
        needed_(wiring.events()),
        last_(wiring.blocks().size(), VectorClock(wiring.blocks().size())),
        after_(wiring.events()) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (Event e = 0; e < wiring.events(); ++e) {
      if (const Event first = wiring.awaited_by(e); first != none) named_[first] = true;
    }
    for (const Event e : order) pass(e);
  }

  /// Is the dependency of the event needed?
  bool needed(Event e) const { return needed_[e]; }

 private:
  void pass(Event e) {
    const std::uint32_t b = wiring_.block_of(e);
    // A nop is passed with the step after it, unless it is the last one of its threadblock.
    if (is_nop(e) && e + 1 < wiring_.owner(e).end()) return;
    VectorClock& clock = last_[b];
    if (const Event sender = wiring_.sender_of(e); sender != none) {
      clock.join(*after_[sender]);
      if (!named_[sender]) after_[sender].reset();
    }
    for (const Event waiting : with_dependencies(e)) {
      const Event first = wiring_.awaited_by(waiting);
      if (clock[wiring_.block_of(first)] > wiring_.step_of(first)) continue;
      needed_[waiting] = true;
      clock.join(*after_[first]);
    }
    clock.set(b, wiring_.step_of(e) + 1);
    if (named_[e] || wiring_.receiver_of(e) != none) after_[e] = clock;
  }

  bool is_nop(Event e) const { return wiring_[e].op == Op::nop; }

  /// The event and the nops before it that wait for others, those for the latest ones first.
  std::vector<Event> with_dependencies(Event e) const {
    std::vector<Event> result;
    const Event begin = wiring_.owner(e).first;
    for (Event at = e;; --at) {
      if (wiring_.awaited_by(at) != none) result.push_back(at);
      if (at == begin || !is_nop(at - 1)) break;
    }
    std::ranges::stable_sort(result, std::greater(),
                             [&](Event at) { return place_[wiring_.awaited_by(at)]; });
    return result;
  }

  const Wiring& wiring_;
  std::vector<std::uint32_t> place_;  ///< by event: in the order of execution
  std::vector<bool> named_;           ///< by event: do others wait for it?
  std::vector<bool> needed_;
  std::vector<VectorClock> last_;                  ///< by threadblock: after its last event
  std::vector<std::optional<VectorClock>> after_;  ///< of those that others join
};

/// The numbers that the steps of a threadblock have without some of its nops.
std::vector<std::int32_t> numbers(const Threadblock& block, const std::vector<bool>& left_out) {
  std::vector<std::int32_t> result;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < block.steps.size(); ++i) {
    result.push_back(next);
    next += left_out[i] ? 0 : 1;
  }
  return result;
}

/// By threadblock of a GPU, and step.
using Flags = std::vector<std::vector<bool>>;

/// Removes dependencies, and nops that have none then, and numbers the steps anew.
void remove(Gpu& gpu, const Flags& unneeded) {
  Flags left_out = unneeded, awaited = unneeded;
  std::vector<std::vector<std::int32_t>> number;
  for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
    const std::vector<Instruction>& steps = gpu.blocks[b].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      left_out[b][i] = unneeded[b][i] && steps[i].op == Op::nop;
      awaited[b][i] = false;
    }
    number.push_back(numbers(gpu.blocks[b], left_out[b]));
  }
  for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
    const std::vector<Instruction>& steps = gpu.blocks[b].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].block >= 0 && !unneeded[b][i])
        awaited[static_cast<std::size_t>(steps[i].block)][static_cast<std::size_t>(steps[i].step)] =
            true;
    }
  }
  for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
    std::vector<Instruction> kept;
    for (std::size_t i = 0; i < gpu.blocks[b].steps.size(); ++i) {
      if (left_out[b][i]) continue;
      Instruction step = gpu.blocks[b].steps[i];
      step.awaited = awaited[b][i];
      if (unneeded[b][i]) {
        step.block = step.step = -1;
      } else if (step.block >= 0) {
        step.step =
            number[static_cast<std::size_t>(step.block)][static_cast<std::size_t>(step.step)];
      }
      kept.push_back(step);
    }
    gpu.blocks[b].steps = std::move(kept);
  }
}

}  // namespace

Program without_implied(Program program) {
  std::vector<Flags> unneeded;
  {
    const Wiring wiring(program);
    const Execution run = execute(wiring, unbounded);
    if (!run.complete()) return program;
    const Implied implied(wiring, run.order);
    for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) {
      unneeded.emplace_back();
      for (std::uint32_t b = wiring.first_block(gpu); b < wiring.first_block(gpu + 1); ++b) {
        const Block& block = wiring.blocks()[b];
        std::vector<bool>& flags = unneeded.back().emplace_back();
        for (Event e = block.first; e < block.end(); ++e)
          flags.push_back(wiring.awaited_by(e) != none && !implied.needed(e));
      }
    }
  }
  for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) remove(program.gpus[gpu], unneeded[gpu]);
  return program;
}

}  // namespace schedcc::program
