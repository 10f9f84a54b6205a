// The structure of an invocation: threadblocks, slices, and operations that synchronize.

#include "program/plan/tracer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/integers.hpp"

namespace schedcc::program {

void PlanTracer::run() {
  list_blocks();
  list_counters();
  if (!trace_.memory_.fits()) trace_.too_large_ = true;
  states_.resize(trace_.blocks_.size());
  for (std::uint32_t b = 0; b < states_.size(); ++b) states_[b].block = b;
  for (invocation_ = 0; invocation_ <= trace_.invocations_ && !trace_.too_large_; ++invocation_)
    trace_invocation();
  if (trace_.too_large_) {
    trace_.actions_.clear();
    trace_.edges_.clear();
    trace_.accesses_.clear();
    trace_.counters_.clear();
    return;
  }
  trace_.match_counters([&](Node first, Node second) {
    return in_program_order(trace_.actions_[first], trace_.actions_[second]);
  });
  trace_.check_balance();
}

void PlanTracer::list_blocks() {
  for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) {
    const auto& blocks = plan_.gpus[gpu].blocks;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      trace_.blocks_.push_back({gpu, b, &blocks[b]});
    }
  }
  for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) trace_.blocks_.push_back({gpu, 0, nullptr});
}

/// The callers take what the previous invocation has left, and then this one begins; the last
/// invocation is only ended.
void PlanTracer::trace_invocation() {
  const auto gpus = static_cast<Rank>(plan_.gpus.size());
  for (Rank gpu = 0; gpu < gpus; ++gpu) {
    State& caller = states_[trace_.caller(gpu)];
    const Node user = add(caller, Kind::user, no_step);
    action(user).first = static_cast<std::uint32_t>(trace_.accesses_.size());
    for (Cell cell = trace_.memory_.first(gpu); cell < trace_.memory_.scratch_first(gpu); ++cell) {
      trace_.accesses_.push_back({cell, AccessKind::write});
    }
    action(user).count = static_cast<std::uint32_t>(trace_.accesses_.size() - action(user).first);
    meet(caller);
  }
  if (invocation_ == trace_.invocations_) return;
  for (std::uint32_t b = 0; b < trace_.blocks_.size(); ++b) {
    const PlanBlockRef& at = trace_.blocks_[b];
    if (at.block == nullptr) continue;
    State& state = states_[b];
    state.met = states_[trace_.caller(at.gpu)].met;
    threadblock(state);
    meet(state);
    states_[trace_.caller(at.gpu)].since.push_back(state.met);
    if (full()) {
      trace_.too_large_ = true;
      return;
    }
  }
  for (Rank gpu = 0; gpu < gpus; ++gpu) meet(states_[trace_.caller(gpu)]);
  match_barriers();
  match_packets();
  barriers_.clear();
  met_.clear();
  posted_.clear();
}

void PlanTracer::threadblock(State& state) {
  const auto& steps = trace_.blocks_[state.block].block->steps;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].op != PlanOp::pipeline) {
      step(state, i, nullptr, 0);
      continue;
    }
    const std::uint32_t count = slices(steps[i]);
    for (slice_ = 0; slice_ < count && !full(); ++slice_) {
      for (std::uint32_t j = 1; j <= steps[i].body; ++j) step(state, i + j, &steps[i], slice_);
    }
    slice_ = 0;
    i += steps[i].body;
  }
}

std::uint32_t PlanTracer::slices(const PlanStep& pipeline) const {
  const PlanGrid& grid = trace_.grid_;
  const std::uint64_t unit = std::uint64_t{grid.slice} * (pipeline.unit / grid.unit);
  const std::uint64_t cells = std::uint64_t{pipeline.chunks} * grid.cells;
  return static_cast<std::uint32_t>(std::min(ceil_div(cells, unit), PlanTrace::max_actions));
}

void PlanTracer::step(State& state, std::uint32_t index, const PlanStep* pipeline,
                      std::uint32_t slice) {
  const PlanBlockRef& at = trace_.blocks_[state.block];
  const PlanStep& s = at.block->steps[index];
  if (full()) return;
  switch (s.op) {
    case PlanOp::nop:
      return meet(state);
    case PlanOp::barrier:
      return barrier(state, s);
    case PlanOp::signal:
    case PlanOp::relaxed_signal:
      return signal(state, index, s, s.op == PlanOp::relaxed_signal);
    case PlanOp::wait:
    case PlanOp::relaxed_wait:
      return wait(state, index, s, s.op == PlanOp::relaxed_wait);
    case PlanOp::semaphore_acquire:
    case PlanOp::semaphore_release:
      return semaphores(state, index, s, s.op == PlanOp::semaphore_acquire);
    case PlanOp::flush:
    case PlanOp::pipeline:
      return;
    default:
      break;
  }
  data(state, index, {at.gpu, *at.block, s, half(), slice, pipeline});
}

void PlanTracer::barrier(State& state, const PlanStep& s) {
  meet(state);
  const Rank gpu = trace_.blocks_[state.block].gpu;
  const std::uint32_t often = met_[{gpu, s.barrier, state.block}]++;
  const Node before = state.met;
  meet(state);
  barriers_[{gpu, s.barrier, often}].emplace_back(before, state.met);
}

/// Every threadblock continues when all have come.
void PlanTracer::match_barriers() {
  for (const auto& [barrier, visits] : barriers_) {
    const std::uint32_t caller = trace_.caller(std::get<0>(barrier));
    const Node all = add_interface(no_step, states_[caller]);
    for (const auto& [before, after] : visits) {
      edge(before, all, Order::order);
      edge(all, after, Order::order);
    }
  }
}

void PlanTracer::signal(State& state, std::uint32_t index, const PlanStep& s, bool relaxed) {
  const PlanBlockRef& at = trace_.blocks_[state.block];
  const bool port = s.channel == PlanChannel::port;
  if (!port && s.channel != PlanChannel::memory) return;
  for (std::uint32_t k = 0; k < s.channels.size(); ++k) {
    const std::uint32_t channel = (port ? at.block->port : at.block->memory)[s.channels[k]];
    const std::size_t counter =
        other_end(at.gpu, port ? PlanCounter::Kind::port : PlanCounter::Kind::memory, channel);
    const Node post = add_thread(state, index, k);
    Node arrival = post;
    if (port) {
      arrival = add_interface(index, state);
      edge(post, arrival, Order::stores);
      follow(at.gpu, channel, post, arrival, arrival);
    } else if (relaxed) {
      arrival = add_interface(index, state);
      edge(post, arrival, Order::relaxed);
    }
    if (counter == SIZE_MAX) {
      report("matching", state, index, "signals on a channel that has no other end");
      continue;
    }
    trace_.counters_[counter].posts.push_back({post, arrival});
  }
}

void PlanTracer::wait(State& state, std::uint32_t index, const PlanStep& s, bool relaxed) {
  const PlanBlockRef& at = trace_.blocks_[state.block];
  const bool port = s.channel == PlanChannel::port;
  if (!port && s.channel != PlanChannel::memory) return;
  for (std::uint32_t k = 0; k < s.channels.size(); ++k) {
    const std::uint32_t channel = (port ? at.block->port : at.block->memory)[s.channels[k]];
    const Node place = add_thread(state, index, k);
    Node done = place;
    if (relaxed) {  // the thread continues, perhaps without what the signal has published
      done = add_interface(index, state);
      edge(place, done, Order::order);
      edge(done, add_thread(state, index, k), Order::relaxed);
    }
    state.blocking.push_back(done);
    const std::size_t counter =
        number(port ? PlanCounter::Kind::port : PlanCounter::Kind::memory, at.gpu, channel);
    trace_.counters_[counter].waits.push_back({place, done});
  }
}

void PlanTracer::semaphores(State& state, std::uint32_t index, const PlanStep& s, bool acquires) {
  const Rank gpu = trace_.blocks_[state.block].gpu;
  for (std::uint32_t k = 0; k < s.semaphores.size(); ++k) {
    const Node node = add_thread(state, index, k);
    PlanCounter& counter =
        trace_.counters_[number(PlanCounter::Kind::semaphore, gpu, s.semaphores[k])];
    (acquires ? counter.waits : counter.posts).push_back({node, node});
    if (acquires) state.blocking.push_back(node);
  }
}

/// A packet is read when it has been written in the same invocation.
void PlanTracer::match_packets() {
  for (const auto& [cell, node] : read_) {
    const auto found = written_.find(cell);
    if (found == written_.end()) {
      trace_.never_written_.push_back(node);
      continue;
    }
    for (const Node writer : found->second) {
      if (writer != node) edge(writer, node, Order::order);
    }
  }
  written_.clear();
  read_.clear();
}

Node PlanTracer::append(PlanAction action) {
  action.order = order_++;
  action.invocation = invocation_;
  action.slice = slice_;
  trace_.actions_.push_back(action);
  return static_cast<Node>(trace_.actions_.size() - 1);
}

Node PlanTracer::add(State& state, Kind kind, std::uint32_t index) {
  const Node node = append({.kind = kind,
                            .owner = state.block,
                            .block = state.block,
                            .segment = state.segment,
                            .step = index});
  if (state.met != no_node) edge(state.met, node, Order::order);
  state.since.push_back(node);
  return node;
}

/// Data operations come first, as this thread does its part of them.
Node PlanTracer::add_thread(State& state, std::uint32_t index, std::uint32_t thread) {
  const Node node = add(state, Kind::other, index);
  action(node).thread = thread;
  if (state.read != no_node) edge(state.read, node, Order::wait);
  if (state.of_thread.size() <= thread) state.of_thread.resize(thread + std::size_t{1}, no_node);
  Node& last = state.of_thread[thread];
  if (last != no_node) edge(last, node, Order::order);
  last = node;
  return node;
}

Node PlanTracer::add_interface(std::uint32_t index, const State& state) {
  return append({.owner = state.block, .step = index});
}

void PlanTracer::meet(State& state) {
  const Node node = append(
      {.kind = Kind::sync, .owner = state.block, .block = state.block, .segment = state.segment});
  if (state.met != no_node) edge(state.met, node, Order::order);
  for (const Node before : state.since) edge(before, node, Order::order);
  if (state.read != no_node) edge(state.read, node, Order::wait);
  ++state.segment;
  state.met = node;
  state.since.clear();
  state.of_thread.clear();
  for (auto& cells : state.of_cell) cells.clear();
  state.blocking.clear();
  state.read = no_node;
}

void PlanTracer::report(std::string_view check, const State& state, std::uint32_t index,
                        const std::string& message) {
  const ProgramLocation location = trace_.location(state.block, index);
  for (const ProgramFinding& known : trace_.findings_) {
    if (known.location == location && known.check == check) return;
  }
  trace_.add_finding(check, state.block, index, message);
}

void PlanTracer::list_counters() {
  for (std::uint32_t invocation = 0; invocation < trace_.invocations_; ++invocation) {
    for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) {
      const PlanGpu& g = plan_.gpus[gpu];
      if (invocation == 0) first_counter_.push_back(trace_.counters_.size());
      const auto list = [&](PlanCounter::Kind kind, std::size_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
          trace_.counters_.push_back({kind, gpu, i, 0, {}, {}});
        }
      };
      list(PlanCounter::Kind::memory, g.memory.size());
      list(PlanCounter::Kind::port, g.port.size());
      for (std::uint32_t i = 0; i < g.semaphores.size(); ++i) {
        trace_.counters_.push_back({PlanCounter::Kind::semaphore, gpu, i, g.semaphores[i], {}, {}});
      }
    }
    if (invocation == 0) counters_ = trace_.counters_.size();
  }
}

std::size_t PlanTracer::number(PlanCounter::Kind kind, Rank gpu, std::uint32_t index) const {
  const PlanGpu& g = plan_.gpus[gpu];
  std::size_t first = invocation_ * counters_ + first_counter_[gpu];
  if (kind != PlanCounter::Kind::memory) first += g.memory.size();
  if (kind == PlanCounter::Kind::semaphore) first += g.port.size();
  return first + index;
}

std::size_t PlanTracer::other_end(Rank gpu, PlanCounter::Kind kind, std::uint32_t channel) const {
  const auto peers = [&](Rank rank) -> const std::vector<Rank>& {
    return kind == PlanCounter::Kind::port ? plan_.gpus[rank].port : plan_.gpus[rank].memory;
  };
  const std::vector<Rank>& mine = peers(gpu);
  const Rank peer = mine[channel];
  // The j-th channel to the peer is connected with its j-th to this GPU.
  auto before = std::count(mine.begin(), mine.begin() + channel, peer);
  const std::vector<Rank>& theirs = peers(peer);
  for (std::uint32_t other = 0; other < theirs.size(); ++other) {
    if (theirs[other] != gpu || before-- > 0) continue;
    return number(kind, peer, other);
  }
  return SIZE_MAX;
}

void PlanTracer::follow(Rank gpu, std::uint32_t channel, Node post, Node begun, Node done) {
  auto& posted = posted_[{gpu, channel}];
  for (const ChannelOperation& earlier : posted) {
    if (in_program_order(action(earlier.post), action(post))) {
      edge(earlier.done, begun, Order::order);
    }
  }
  posted.push_back({post, done});
}

}  // namespace schedcc::program
