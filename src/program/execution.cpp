#include "program/execution.hpp"

#include <algorithm>
#include <deque>

#include "program/limits.hpp"

namespace schedcc::program {

namespace {

class Runner {
 public:
  Runner(const Wiring& wiring, const Fifo& fifo)
      : wiring_(wiring),
        fifo_(fifo),
        passed_(wiring.blocks().size()),
        waiting_(wiring.blocks().size()),
        queued_(wiring.blocks().size(), true),
        sent_(wiring.connections().size()),
        received_(wiring.connections().size()) {
    for (const Block& block : wiring.blocks()) {
      ready_.push_back(static_cast<std::uint32_t>(ready_.size()));
      at_.push_back(block.first);
    }
  }

  Execution run() {
    Execution result;
    result.order.reserve(wiring_.events());
    while (!ready_.empty()) {
      const std::uint32_t b = ready_.front();
      ready_.pop_front();
      queued_[b] = false;
      while (!ended(b) && wait(at_[b]).reason == Wait::Reason::nothing) {
        pass(at_[b], b);
        if (++passed_[b] < messages(at_[b])) continue;
        passed_[b] = 0;
        result.order.push_back(at_[b]++);
        for (const std::uint32_t other : waiting_[b]) wake(other);
        waiting_[b].clear();
      }
      if (ended(b)) continue;
      const Wait blocked = wait(at_[b]);
      if (blocked.reason == Wait::Reason::step) waiting_[blocked.block].push_back(b);
    }
    for (std::uint32_t b = 0; b < at_.size(); ++b) {
      if (ended(b)) continue;
      result.stuck.push_back(at_[b]);
      result.passed.push_back(passed_[b]);
    }
    return result;
  }

  /// The state at the end of an execution.
  void restore(const Execution& execution) {
    for (const Event e : execution.order) {
      for (std::uint32_t i = 0; i < messages(e); ++i) pass(e, wiring_.block_of(e));
      at_[wiring_.block_of(e)] = e + 1;
    }
    for (std::size_t s = 0; s < execution.stuck.size(); ++s) {
      const Event e = execution.stuck[s];
      for (std::uint32_t i = 0; i < execution.passed[s]; ++i) pass(e, wiring_.block_of(e));
    }
  }

  Wait wait(Event e) const {
    const Block& block = wiring_.owner(e);
    if (const Event first = wiring_.awaited_by(e); first != none) {
      const std::uint32_t other = wiring_.block_of(first);
      if (at_[other] <= first) return {Wait::Reason::step, other};
    }
    const OpEffects effect = effects(wiring_[e].op);
    if (effect.receives && sent_[block.in] == received_[block.in]) {
      return {Wait::Reason::message, wiring_.connections()[block.in].sender};
    }
    if (effect.sends && sent_[block.out] - received_[block.out] >= fifo_.depth) {
      return {Wait::Reason::room, wiring_.connections()[block.out].receiver};
    }
    return {};
  }

  bool ended(std::uint32_t block) const { return at_[block] == wiring_.blocks()[block].end(); }
  Event at(std::uint32_t block) const { return at_[block]; }

 private:
  /// The messages of an instruction, which takes them one by one. One that moves no data counts as
  /// one.
  std::uint32_t messages(Event e) const {
    const OpEffects effect = effects(wiring_[e].op);
    const std::uint32_t count = wiring_[e].count;
    if ((!effect.sends && !effect.receives) || count <= fifo_.chunks) return 1;
    return (count - 1) / fifo_.chunks + 1;
  }

  /// The instruction takes a message: it is received, sent or both.
  void pass(Event e, std::uint32_t b) {
    const Block& block = wiring_.blocks()[b];
    const OpEffects effect = effects(wiring_[e].op);
    if (effect.receives) {
      ++received_[block.in];
      wake(wiring_.connections()[block.in].sender);
    }
    if (effect.sends) {
      ++sent_[block.out];
      wake(wiring_.connections()[block.out].receiver);
    }
  }

  void wake(std::uint32_t block) {
    if (block == none || queued_[block]) return;
    queued_[block] = true;
    ready_.push_back(block);
  }

  const Wiring& wiring_;
  Fifo fifo_;
  std::vector<Event> at_;              ///< by block: the next event
  std::vector<std::uint32_t> passed_;  ///< by block: messages of that event so far
  std::vector<std::vector<std::uint32_t>>
      waiting_;  ///< by block: the blocks that wait for its steps
  std::vector<bool> queued_;
  std::deque<std::uint32_t> ready_;
  std::vector<std::uint64_t> sent_, received_;  ///< by connection
};

}  // namespace

Execution execute(const Wiring& wiring, const Fifo& fifo) { return Runner(wiring, fifo).run(); }

std::optional<std::uint32_t> least_chunks(const Wiring& wiring, std::uint64_t depth) {
  const auto completes = [&](std::uint32_t chunks) {
    return execute(wiring, {depth, chunks}).complete();
  };
  std::uint32_t least = 1, most = limits::count;
  if (completes(least)) return least;
  if (!completes(most)) return std::nullopt;
  while (most - least > 1) {  // larger messages never deadlock
    const std::uint32_t middle = (least + most) / 2;
    (completes(middle) ? most : least) = middle;
  }
  return most;
}

std::vector<WaitCycle> wait_cycles(const Wiring& wiring, const Execution& execution,
                                   const Fifo& fifo) {
  Runner runner(wiring, fifo);
  runner.restore(execution);
  std::vector<std::uint32_t> seen(wiring.blocks().size(), none);
  std::vector<WaitCycle> result;
  for (std::uint32_t start = 0; start < execution.stuck.size(); ++start) {
    WaitCycle wait_cycle;
    std::uint32_t block = wiring.block_of(execution.stuck[start]);
    while (block != none && !runner.ended(block) && seen[block] == none) {
      seen[block] = start;
      wait_cycle.events.push_back(runner.at(block));
      wait_cycle.waits.push_back(runner.wait(runner.at(block)));
      block = wait_cycle.waits.back().block;
    }
    if (block != none && !runner.ended(block)) {
      if (seen[block] != start) continue;  // it leads to a cycle or chain already reported
      const auto begin = std::ranges::find(wait_cycle.events, runner.at(block));
      wait_cycle.waits.erase(wait_cycle.waits.begin(),
                             wait_cycle.waits.begin() + (begin - wait_cycle.events.begin()));
      wait_cycle.events.erase(wait_cycle.events.begin(), begin);
      wait_cycle.closed = true;
    }
    result.push_back(std::move(wait_cycle));
  }
  return result;
}

}  // namespace schedcc::program
