#ifndef SCHEDCC_LOCAL_FLOWS_HPP
#define SCHEDCC_LOCAL_FLOWS_HPP

// Ranks between which packets flow: one after another, a period apart.
//
// In a pipelined tree packet i takes every edge i periods after packet 0. So all that a rank does
// is stated by an entry for each of its edges, which says when packet 0 takes it: a kernel computes
// these few entries, and the rest is the same for all trees.

#include <vector>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// Packets to, or from, a peer: packet i of `packets` in step time + i period, chunks first + i
/// stride, ... of which it has `count`.
struct Flow {
  std::uint64_t peer, time, packets;
  std::uint64_t period = 1;
  std::uint64_t first = 0, stride = 1, count = 1;
  bool reduce = false;
};

/// A rank's schedule.
struct Flows {
  std::vector<Flow> sent, received;

  StepUnion active_steps() const {
    StepUnion steps;
    steps.parts.reserve(sent.size() + received.size());
    for (const std::vector<Flow>* flows : {&sent, &received}) {
      for (const Flow& flow : *flows) {
        if (flow.packets == 0) continue;
        const std::uint64_t last = flow.time + (flow.packets - 1) * flow.period;
        steps.parts.push_back({flow.time, last + 1, flow.period});
      }
    }
    return steps;
  }
  template <typename F>
  void sends(std::uint64_t step, F f) const {
    for (const Flow& flow : sent) packet(flow, step, f);
  }
  template <typename F>
  void receives(std::uint64_t step, F f) const {
    for (const Flow& flow : received) packet(flow, step, f);
  }

 private:
  template <typename F>
  static void packet(const Flow& flow, std::uint64_t step, F& f) {
    if (step < flow.time || (step - flow.time) % flow.period != 0) return;
    const std::uint64_t i = (step - flow.time) / flow.period;
    if (i >= flow.packets) return;
    f(RankTransfer{flow.peer, flow.first + i * flow.stride, flow.count, flow.reduce});
  }
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_FLOWS_HPP
