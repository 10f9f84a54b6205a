// A GPU's part of a schedule is a row of sends and receives, wave by wave, and in a wave in the
// order of their times; arrivals at a time come before the sends at that time, which may forward
// them.
//
// Threadblocks. Each connection needs one at each end. A threadblock that receives and sends can
// forward immediately, so the connections between which most chunks are forwarded are paired;
// others stay alone, to avoid needless waits. A send is fused with the receive of the same places
// if no other send precedes it on its connection: the order at the other end does not change. A sum
// that is not read again is not stored (rrs).

#include "program/gpu_lowering.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "program/dependencies.hpp"
#include "program/limits.hpp"
#include "program/memory.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

namespace {

/// A connection of this GPU: the other end, and the channel.
using End = std::pair<Rank, std::uint32_t>;

/// A send, a receive or both, and finally an instruction.
struct Node {
  Instruction step;
  std::uint32_t wave = 0;
  std::uint64_t time = 0;
  bool sends = false, receives = false;
  std::uint32_t in = none, out = none;  ///< index among the ends
  std::uint32_t origin = none;          ///< sends: the receive that brought what is sent
  std::uint32_t reads = 0;              ///< receives: how often their chunks are used
  bool dropped = false;                 ///< it is fused into its origin
  std::uint32_t block = none;
};

class GpuLowering {
 public:
  GpuLowering(Program& program, Rank rank, const ChunkPlacement& places, Calls calls,
              Pairing pairing)
      : gpu_(program.gpus[rank]),
        max_blocks_(find_runtime(program.runtime).blocks),
        rank_(rank),
        places_(places),
        pairing_(pairing),
        memory_(program, rank, calls == Calls::out_of_place ? Call::out_of_place : Call::in_place) {
  }

  void run(const std::vector<const SendReceive*>& send_receives) {
    collect(send_receives);
    trace();
    make_blocks();
    fuse();
    add_copies();
    std::vector<PlacedInstruction> placed;
    placed.reserve(order_.size());
    for (const std::uint32_t n : order_) placed.push_back({nodes_[n].step, nodes_[n].block});
    program::append(gpu_, memory_, placed);
  }

 private:
  // --- The sends and receives, in their order.

  void collect(const std::vector<const SendReceive*>& send_receives) {
    for (const SendReceive* send_receive : send_receives) {
      Node node;
      node.step.src = send_receive->from;
      node.step.dst = send_receive->to;
      node.step.count = send_receive->count;
      node.wave = send_receive->wave;
      if (send_receive->src == rank_) {
        node.sends = true;
        node.time = send_receive->leaves;
        node.step.op = Op::send;
        node.out = end(outs_, {send_receive->dst, send_receive->channel});
      } else {
        node.receives = true;
        node.time = send_receive->arrives;
        node.step.op = send_receive->combine ? Op::recv_reduce_copy : Op::recv;
        node.in = end(ins_, {send_receive->src, send_receive->channel});
      }
      nodes_.push_back(node);
    }
    std::ranges::stable_sort(nodes_, {},
                             [](const Node& n) { return std::tuple(n.wave, n.time, n.sends); });
  }

  static std::uint32_t end(std::vector<End>& ends, const End& wanted) {
    const auto found = std::ranges::find(ends, wanted);
    if (found != ends.end()) return static_cast<std::uint32_t>(found - ends.begin());
    ends.push_back(wanted);
    return static_cast<std::uint32_t>(ends.size() - 1);
  }

  // --- Sends of chunks that one receive brought, and the uses of each receive's chunks.

  void trace() {
    std::unordered_map<std::uint64_t, std::uint32_t> writer;  // by cell
    const auto use = [&](std::uint32_t reader, Slot slot, std::uint32_t count) {
      std::uint32_t origin = none, last = none;
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto found = writer.find(memory_.cell(slot, i));
        const std::uint32_t by = found == writer.end() ? none : found->second;
        if (by != none && by != last) ++nodes_[by].reads;
        if (i == 0) origin = by;
        if (by != origin) origin = none;
        last = by;
      }
      if (reader != none && origin != none && nodes_[origin].step.dst == slot &&
          nodes_[origin].step.count == count) {
        nodes_[reader].origin = origin;
      }
    };
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      const Instruction step = nodes_[n].step;
      if (nodes_[n].sends) use(n, step.src, step.count);
      if (!nodes_[n].receives) continue;
      if (step.op == Op::recv_reduce_copy) use(none, step.dst, step.count);
      for (std::uint32_t i = 0; i < step.count; ++i) writer[memory_.cell(step.dst, i)] = n;
    }
    for (const Chunk chunk : places_.chunks(rank_)) {
      if (places_.final(rank_, chunk)) use(none, places_.home(rank_, chunk), 1);
    }
  }

  // --- Connections that share a threadblock.

  void make_blocks() {
    block_of_in_.assign(ins_.size(), none);
    block_of_out_.assign(outs_.size(), none);
    if (pairing_ == Pairing::paired) pair_connections();
    share_blocks();
    for (std::uint32_t in = 0; in < ins_.size(); ++in) {
      if (block_of_in_[in] == none) add_block(in, none);
    }
    for (std::uint32_t out = 0; out < outs_.size(); ++out) {
      if (block_of_out_[out] == none) add_block(none, out);
    }
  }

  void pair_connections() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> passed_on;
    for (const Node& node : nodes_) {
      if (!node.sends || node.origin == none) continue;
      const Node& origin = nodes_[node.origin];
      if (fits(origin, node)) ++passed_on[{origin.in, node.out}];
    }
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(passed_on.size());
    for (const auto& [ends, count] : passed_on) pairs.emplace_back(count, ends.first, ends.second);
    std::ranges::stable_sort(
        pairs, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    for (const auto& [count, in, out] : pairs) {
      if (block_of_in_[in] == none && block_of_out_[out] == none) add_block(in, out);
    }
  }

  /// More connections than threadblocks: some share one without forwarding.
  void share_blocks() {
    std::size_t blocks = ins_.size() + outs_.size() - gpu_.blocks.size();
    for (std::uint32_t in = 0; in < ins_.size() && blocks > max_blocks_; ++in) {
      if (block_of_in_[in] != none) continue;
      for (std::uint32_t out = 0; out < outs_.size(); ++out) {
        if (block_of_out_[out] != none || outs_[out].second != ins_[in].second) continue;
        add_block(in, out);
        --blocks;
        break;
      }
    }
  }

  /// May the send be fused with the receive, regardless of threadblocks? Both ends of a message
  /// have the same destination field, and that of a fused step is where it stores the chunks that
  /// it forwards.
  bool fits(const Node& receive, const Node& send) const {
    return ins_[receive.in].second == outs_[send.out].second && send.step.dst == receive.step.dst;
  }

  void add_block(std::uint32_t in, std::uint32_t out) {
    const auto number = static_cast<std::uint32_t>(gpu_.blocks.size());
    Threadblock block;
    if (in != none) {
      block_of_in_[in] = number;
      block.recv = static_cast<std::int32_t>(ins_[in].first);
      block.channel = ins_[in].second;
    }
    if (out != none) {
      block_of_out_[out] = number;
      block.send = static_cast<std::int32_t>(outs_[out].first);
      block.channel = outs_[out].second;
    }
    gpu_.blocks.push_back(std::move(block));
  }

  // --- Sends that are fused into receives.

  void fuse() {
    std::vector<std::vector<std::uint32_t>> sends(outs_.size());  // in reverse: the next is last
    for (auto n = static_cast<std::uint32_t>(nodes_.size()); n-- > 0;) {
      if (nodes_[n].sends) sends[nodes_[n].out].push_back(n);
    }
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      Node& node = nodes_[n];
      if (node.dropped) continue;
      if (node.sends) {
        node.block = block_of_out_[node.out];
        sends[node.out].pop_back();
        continue;
      }
      node.block = block_of_in_[node.in];
      for (std::uint32_t out = 0; out < outs_.size(); ++out) {
        if (block_of_out_[out] != node.block || sends[out].empty()) continue;
        Node& send = nodes_[sends[out].back()];
        if (send.origin != n || !fits(node, send)) continue;
        sends[out].pop_back();
        send.dropped = true;
        node.sends = true;
        node.out = out;
        node.step.op = node.step.op == Op::recv ? Op::recv_copy_send
                       : node.reads == 1        ? Op::recv_reduce_send
                                                : Op::recv_reduce_copy_send;
      }
    }
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n].dropped) order_.push_back(n);
    }
  }

  // --- Copies from the input and to the output, in the threadblocks that use the places first,
  // last.

  void add_copies() {
    std::unordered_map<std::uint64_t, std::uint32_t> first, last;  // by cell: threadblocks
    for (const std::uint32_t n : order_) {
      const Instruction& step = nodes_[n].step;
      const Slot home = effects(step.op).writes_dst ? step.dst : step.src;
      for (std::uint32_t i = 0; i < step.count; ++i) {
        const std::uint64_t cell = memory_.cell(home, i);
        first.try_emplace(cell, nodes_[n].block);
        last[cell] = nodes_[n].block;
      }
    }
    std::vector<Node> before, after;
    for (const Chunk chunk : places_.chunks(rank_)) {
      const Slot home = places_.home(rank_, chunk);
      const std::uint64_t cell = memory_.cell(home);
      const bool used = first.contains(cell), wanted = places_.final(rank_, chunk).has_value();
      if (places_.copied_in(rank_, chunk) && (used || wanted)) {
        add_copy(before, *places_.initial(rank_, chunk), home, used ? first[cell] : none);
      }
      if (places_.copied_out(rank_, chunk)) {
        add_copy(after, home, *places_.final(rank_, chunk), used ? last[cell] : none);
      }
    }
    std::vector<std::uint32_t> order;
    append(before, order);
    order.insert(order.end(), order_.begin(), order_.end());
    append(after, order);
    order_ = std::move(order);
  }

  /// Adds a copy of a chunk, merged with the previous one if possible.
  void add_copy(std::vector<Node>& copies, Slot from, Slot to, std::uint32_t block) const {
    if (!copies.empty()) {
      Node& node = copies.back();
      Instruction& step = node.step;
      const auto end_of = [&](Slot slot) {
        slot.offset += static_cast<std::int32_t>(step.count);
        return slot;
      };
      if (node.block == block && step.count < limits::count && end_of(step.src) == from &&
          end_of(step.dst) == to) {
        ++step.count;
        return;
      }
    }
    Node node;
    node.step.op = Op::copy;
    node.step.count = 1;
    node.step.src = from;
    node.step.dst = to;
    node.block = block;
    copies.push_back(node);
  }

  void append(const std::vector<Node>& copies, std::vector<std::uint32_t>& order) {
    for (Node node : copies) {
      if (node.block == none) {  // no threadblock uses the place
        if (gpu_.blocks.empty()) gpu_.blocks.emplace_back();
        node.block = 0;
      }
      order.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back(node);
    }
  }

  Gpu& gpu_;
  std::uint32_t max_blocks_;
  Rank rank_;
  const ChunkPlacement& places_;
  Pairing pairing_;
  Memory memory_;
  std::vector<Node> nodes_;
  std::vector<End> ins_, outs_;
  std::vector<std::uint32_t> block_of_in_, block_of_out_;
  std::vector<std::uint32_t> order_;  ///< the remaining nodes, in the order of their effects
};

}  // namespace

void lower_gpu(Program& program, Rank rank, const std::vector<const SendReceive*>& send_receives,
               const ChunkPlacement& places, Calls calls, Pairing pairing) {
  GpuLowering(program, rank, places, calls, pairing).run(send_receives);
}

}  // namespace schedcc::program
