// Operations on data: an action for each cell of their ranges, or for each request to a network
// interface.

#include <algorithm>

#include <fmt/core.h>

#include "program/plan/tracer.hpp"

namespace schedcc::program {

void PlanTracer::data(State& state, std::uint32_t index, const PlanSite& site) {
  const PlanStep& s = site.step;
  const PlanKind kind = form(s.op).kind;
  if (s.op == PlanOp::read_put_packets && s.channel == PlanChannel::port) {
    read_packets_and_post(state, index, site);
  } else if (kind == PlanKind::transfer || kind == PlanKind::pack) {
    transfers(state, index, site);
  } else {
    combination(state, index, site);
  }
}

PlanOperand PlanTracer::operand(const State& state, std::uint32_t index, const PlanSite& site,
                                const PlanRange& range, AccessKind kind, bool packet) {
  PlanOperand result(plan_, trace_.memory_, trace_.grid_, site, range, kind, packet);
  if (result.overrun()) {
    report("limits", state, index,
           "has a range that ends before the last slices of its pipeline; they overrun it");
  }
  return result;
}

/// Each source has a destination of its own.
void PlanTracer::transfers(State& state, std::uint32_t index, const PlanSite& site) {
  const PlanStep& s = site.step;
  const bool packs = form(s.op).kind == PlanKind::pack;
  const bool by_port = puts_by_port(s);
  const bool by_destination =
      s.op == PlanOp::put || s.op == PlanOp::put_signal || s.op == PlanOp::put_signal_flush;
  for (std::size_t i = 0; i < s.src.size(); ++i) {
    const auto [from, to] = executed_pair(s, i);
    const PlanOperand source =
        operand(state, index, site, from, AccessKind::read, by_port && packs);
    const PlanOperand destination = operand(state, index, site, to, AccessKind::write, packs);
    if (by_port) {
      port_entry(state, index, site, i, source, destination);
      continue;
    }
    const bool by_switch = to.where == PlanRange::Where::multicast;
    cells(state, index, {source}, {destination},
          by_destination ? destination.length() : source.length(),
          packs       ? Threads::packets
          : by_switch ? Threads::other
                      : Threads::elements);
  }
}

/// All sources become one value, which each destination gets.
void PlanTracer::combination(State& state, std::uint32_t index, const PlanSite& site) {
  const PlanStep& s = site.step;
  const PlanForm& f = form(s.op);
  std::vector<PlanOperand> sources, destinations;
  for (std::size_t i = 0; i < s.src.size(); ++i) {
    sources.push_back(
        operand(state, index, site, s.src[i], AccessKind::read, i >= f.packed_source));
  }
  for (std::size_t i = 0; i < s.dst.size(); ++i) {
    destinations.push_back(
        operand(state, index, site, s.dst[i], AccessKind::write, i >= f.packed_destination));
  }
  const std::uint64_t length = sources.front().length();
  // Packets are added before the plain operand.
  if (f.packed_source == 1) std::rotate(sources.begin(), sources.begin() + 1, sources.end());
  const bool by_switch = !s.dst.empty() && s.dst[0].where == PlanRange::Where::multicast;
  cells(state, index, sources, destinations, length,
        f.kind == PlanKind::reduce ? Threads::elements
        : by_switch                ? Threads::other
                                   : Threads::packets);
}

void PlanTracer::cells(State& state, std::uint32_t index, const std::vector<PlanOperand>& sources,
                       const std::vector<PlanOperand>& destinations, std::uint64_t length,
                       Threads threads) {
  Node read = no_node;
  const auto packet = [](const PlanOperand& operand) { return operand.packet(); };
  const bool reads_packets = std::ranges::any_of(sources, packet);
  const Node earlier = state.read;
  const std::vector<Node> blocking = state.blocking;
  for (std::uint64_t i = 0; i < length && !full(); ++i) {
    const Node node = add(state, Kind::data, index);
    const auto first = static_cast<std::uint32_t>(trace_.accesses_.size());
    bool exists = true;
    for (const PlanOperand& operand : sources) exists &= access(operand, i, index, state);
    for (const PlanOperand& operand : destinations) exists &= access(operand, i, index, state);
    if (!exists) trace_.accesses_.resize(first);
    action(node).first = first;
    action(node).count = static_cast<std::uint32_t>(trace_.accesses_.size() - first);
    for (std::uint32_t a = first; a < trace_.accesses_.size(); ++a) {
      const PlanAccess& done = trace_.accesses_[a];
      if (!done.packet) continue;
      if (done.kind == AccessKind::write) {
        written_[done.cell].push_back(node);
      } else {
        read_.emplace_back(done.cell, node);
      }
    }
    for (const Node before : blocking) edge(before, node, Order::wait);
    if (earlier != no_node) edge(earlier, node, Order::wait);
    if (threads != Threads::other) {
      auto& lane = state.of_cell[threads == Threads::packets];
      if (lane.size() <= i) lane.resize(i + 1, no_node);
      if (lane[i] != no_node) edge(lane[i], node, Order::order);
      lane[i] = node;
    }
    if (!reads_packets) continue;
    if (read == no_node) {
      read = add_interface(index, state);
      if (earlier != no_node) edge(earlier, read, Order::wait);
    }
    edge(node, read, Order::wait);
  }
  if (read != no_node) state.read = read;
}

bool PlanTracer::access(const PlanOperand& operand, std::uint64_t i, std::uint32_t index,
                        const State& state) {
  const std::vector<Cell> cells = operand.cells(i);
  if (cells.empty()) {
    report("limits", state, index,
           fmt::format("{} {}{}[{}] of GPU {}, which does not exist{}",
                       operand.kind() == AccessKind::write ? "writes" : "reads",
                       operand.packet() ? "packets at " : "", schedcc::name(operand.buffer()),
                       operand.chunk(i), operand.gpu(),
                       operand.packet() && operand.buffer() != BufferKind::scratch
                           ? ": packets are in scratch"
                       : operand.packet() && !plan_.packets()
                           ? ": scratch has room for packets only with the protocol LL"
                           : ""));
    return false;
  }
  for (const Cell cell : cells)
    trace_.accesses_.push_back({cell, operand.kind(), operand.packet()});
  return true;
}

/// A request of thread `entry`: the data are moved later.
void PlanTracer::port_entry(State& state, std::uint32_t index, const PlanSite& site,
                            std::size_t entry, const PlanOperand& source,
                            const PlanOperand& destination) {
  const auto thread = static_cast<std::uint32_t>(entry);
  const std::uint32_t channel = site.block.port[site.step.channels[entry]];
  if (const Rank peer = plan_.gpus[site.gpu].port[channel]; peer != destination.gpu()) {
    report("matching", state, index,
           fmt::format("writes to GPU {} on a channel to GPU {}", destination.gpu(), peer));
  }
  const Node post = add_thread(state, index, thread);
  const Node begun = add_interface(index, state);
  edge(post, begun, Order::order);
  const Node moved = move(state, index, begun, source, destination);
  follow(site.gpu, channel, post, begun, moved);
  if (site.step.op != PlanOp::put_signal && site.step.op != PlanOp::put_signal_flush) return;
  const Node arrival = add_interface(index, state);
  edge(moved, arrival, Order::order);
  edge(post, arrival, Order::stores);
  follow(site.gpu, channel, post, arrival, arrival);
  const std::size_t counter = other_end(site.gpu, PlanCounter::Kind::port, channel);
  if (counter == SIZE_MAX) {
    report("matching", state, index, "signals on a channel that has no other end");
  } else {
    trace_.counters_[counter].posts.push_back({post, arrival});
  }
  if (site.step.op != PlanOp::put_signal_flush) return;
  const Node flushed = add_thread(state, index, thread);
  edge(moved, flushed, Order::order);
  state.blocking.push_back(flushed);
}

/// Packets are moved one by one, after `begun`, and may be read before the next one is moved; plain
/// data are by `begun` itself.
Node PlanTracer::move(State& state, std::uint32_t index, Node begun, const PlanOperand& source,
                      const PlanOperand& destination) {
  if (!destination.packet()) {
    move_cells(state, begun, source, destination, 0, destination.length());
    return begun;
  }
  const Node moved = add_interface(index, state);
  for (std::uint64_t i = 0; i < source.length() && !full(); ++i) {
    const Node node = add_interface(index, state);
    move_cells(state, node, source, destination, i, i + 1);
    edge(begun, node, Order::order);
    edge(node, moved, Order::order);
    if (action(node).count > 0) written_[trace_.accesses_.back().cell].push_back(node);
  }
  return moved;
}

void PlanTracer::move_cells(const State& state, Node node, const PlanOperand& source,
                            const PlanOperand& destination, std::uint64_t first,
                            std::uint64_t end) {
  const std::uint32_t index = action(node).step;
  action(node).kind = Kind::move;
  action(node).first = static_cast<std::uint32_t>(trace_.accesses_.size());
  for (std::uint64_t i = first; i < end && !full(); ++i) {
    const std::size_t before = trace_.accesses_.size();
    if (!access(source, i, index, state) || !access(destination, i, index, state))
      trace_.accesses_.resize(before);
  }
  action(node).count = static_cast<std::uint32_t>(trace_.accesses_.size()) - action(node).first;
}

void PlanTracer::read_packets_and_post(State& state, std::uint32_t index, const PlanSite& site) {
  const PlanStep& s = site.step;
  constexpr bool packet = true;
  const PlanOperand source(plan_, trace_.memory_, trace_.grid_, site, s.src[0], AccessKind::read,
                           packet);
  cells(state, index, {source}, {}, source.length(), Threads::packets);
  meet(state);
  for (std::size_t i = 0; i < s.dst.size(); ++i) {
    const PlanOperand destination(plan_, trace_.memory_, trace_.grid_, site, s.dst[i],
                                  AccessKind::write, packet);
    port_entry(state, index, site, i, source, destination);
  }
}

}  // namespace schedcc::program
