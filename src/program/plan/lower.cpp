// Each message of a schedule is written into the memory of its receiver, directly to its place if
// nothing has been there in this invocation, and else to a slot of scratch of its own, from where
// it is copied or added.
//
// Simple: put, and a signal for all messages of a step to the same GPU. A GPU first tells those
// that will write to it that it has begun, so that they do not write while its previous kernel or
// its caller uses the memory.
//
// LL: packets, which are their own signals, to slots of scratch, whose halves are used in turn. Two
// invocations later a slot may be written if its reader has been heard of in between; if that does
// not follow from the messages, GPUs tell one another that they have begun.
//
// A threadblock executes all operations of its GPU in the order of their times, and those at which
// messages arrive before those at which they leave. Each is sent before it is awaited, so the plan
// completes. When a threadblock is full, another one continues.

#include "program/plan/lower.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "analysis/well_formed.hpp"
#include "core/counted.hpp"
#include "program/chunk_placement.hpp"
#include "program/plan/block_builder.hpp"
#include "program/plan/check.hpp"
#include "program/plan/limits.hpp"
#include "program/send_receive.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

/// A GPU runs as many threadblocks of that size at the same time.
constexpr std::uint32_t max_blocks = 64;
/// Operations of a step with few messages.
constexpr std::uint32_t step_operations = 8;

/// A move, and where it is received.
struct Message {
  const SendReceive* send_receive;
  Slot to;      ///< where it is written
  bool direct;  ///< that is its place
};

class PlanLowering {
 public:
  PlanLowering(const Source& source, const Machine& machine, const PlanLoweringOptions& options)
      : source_(source),
        problem_(source.problem),
        options_(options),
        arrivals_(received(source)),
        places_(problem_, options.calls, arrivals_),
        send_receives_(send_receives(source, machine, places_, Waves())) {
    receive();
  }

  Plan run(bool announced) {
    Plan plan;
    plan.name = source_.title.empty() ? source_.name : source_.title;
    plan.problem = problem_;
    plan.protocol = options_.packets ? "LL" : "Simple";
    plan.in_place = options_.calls == Calls::in_place;
    plan.two_halves = options_.packets;
    plan.gpus.resize(problem_.ranks);
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      PlanGpu& gpu = plan.gpus[rank];
      gpu.scratch = scratch_;
      gpu.input = longest(input_chunks);
      gpu.output = longest(output_chunks);
      connect(rank, gpu);
      for (std::uint32_t lane = 0; lane < options_.lanes; ++lane) {
        PlanBlockBuilder builder(gpu, lane, options_.lanes);
        write(rank, announced, builder);
        builder.finish();
      }
      if (gpu.blocks.size() > max_blocks) {
        throw InputError(
            fmt::format("GPU {} needs {}, but only {} are guaranteed to be co-resident", rank,
                        counted(gpu.blocks.size(), "threadblock"), max_blocks));
      }
    }
    plan.max_bytes = addressable_bytes(plan);
    return plan;
  }

 private:
  /// All GPUs call the runtime with buffers of the same length.
  std::uint32_t longest(std::uint32_t (*chunks)(const Problem&, Rank)) const {
    std::uint32_t result = 0;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      result = std::max(result, chunks(problem_, rank));
    }
    return result;
  }

  Slot shared(Rank rank, Slot slot) const {
    return options_.calls == Calls::in_place ? in_place(problem_, rank, slot) : slot;
  }
  static std::pair<BufferKind, std::int32_t> key(Slot slot) { return {slot.buffer, slot.offset}; }

  /// Decides where each message is written.
  void receive() {
    std::vector<std::set<std::pair<BufferKind, std::int32_t>>> used(problem_.ranks);
    std::uint32_t homes = 0;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      homes = std::max(homes, places_.scratch(rank));
      for (const Run run : problem_.start(rank)) {
        for (Chunk chunk = run.first; chunk < run.first + run.count; ++chunk) {
          used[rank].insert(key(shared(rank, places_.home(rank, chunk))));
          used[rank].insert(key(shared(rank, *places_.initial(rank, chunk))));
        }
      }
    }
    // Packets take two chunks of scratch.
    const std::uint32_t first = options_.packets ? (homes + 1) / 2 : homes;
    std::vector<std::uint32_t> slots(problem_.ranks, first);
    std::vector<const SendReceive*> order;
    for (const SendReceive& send_receive : send_receives_) order.push_back(&send_receive);
    std::ranges::stable_sort(order, {}, &SendReceive::arrives);
    for (const SendReceive* send_receive : order) {
      Message message{send_receive, send_receive->to, !options_.packets && !send_receive->combine};
      for (std::uint32_t i = 0; i < send_receive->count; ++i) {
        const Slot at{send_receive->to.buffer,
                      send_receive->to.offset + static_cast<std::int32_t>(i)};
        message.direct &= used[send_receive->dst].insert(key(shared(send_receive->dst, at))).second;
      }
      if (message.direct) {
        message.to = shared(send_receive->dst, send_receive->to);
      } else {
        std::uint32_t& slot = slots[send_receive->dst];
        message.to = {BufferKind::scratch, static_cast<std::int32_t>(slot)};
        slot += send_receive->count;
      }
      messages_.push_back(message);
    }
    scratch_ = *std::ranges::max_element(slots);
    if (options_.packets) scratch_ = std::max(scratch_, first);
  }

  /// A channel for each lane and each GPU with messages in either direction.
  void connect(Rank rank, PlanGpu& gpu) const {
    std::set<Rank> peers;
    for (const Message& m : messages_) {
      if (m.send_receive->src == rank) peers.insert(m.send_receive->dst);
      if (m.send_receive->dst == rank) peers.insert(m.send_receive->src);
    }
    for (std::uint32_t lane = 0; lane < options_.lanes; ++lane) {
      gpu.memory.insert(gpu.memory.end(), peers.begin(), peers.end());
    }
  }

  void write(Rank rank, bool announced, PlanBlockBuilder& builder) {
    struct StepMessages {
      std::vector<const Message*> arrive, leave;
    };
    std::map<std::uint64_t, StepMessages> steps;
    std::set<Rank> writers, readers;
    for (const Message& m : messages_) {
      if (m.send_receive->src == rank) {
        steps[m.send_receive->leaves].leave.push_back(&m);
        readers.insert(m.send_receive->dst);
      }
      if (m.send_receive->dst == rank) {
        steps[m.send_receive->arrives].arrive.push_back(&m);
        writers.insert(m.send_receive->src);
      }
    }
    copy(rank, true, builder);
    if (announced) {
      builder.signal_or_wait({writers.begin(), writers.end()}, PlanOp::relaxed_signal);
      builder.signal_or_wait({readers.begin(), readers.end()}, PlanOp::relaxed_wait);
    }
    builder.synchronize();
    for (const auto& [time, step] : steps) {
      builder.ensure_room(step_operations);
      arrive(step.arrive, builder);
      leave(step.leave, builder);
    }
    copy(rank, false, builder);
  }

  /// The chunks that are copied from the input before, or to the output after all messages.
  void copy(Rank rank, bool before, PlanBlockBuilder& builder) {
    bool first = true;
    for (const Chunk chunk : places_.chunks(rank)) {
      if (!(before ? places_.copied_in(rank, chunk) : places_.copied_out(rank, chunk))) continue;
      if (first) builder.synchronize();
      first = false;
      const Slot home = places_.home(rank, chunk);
      const Slot other = before ? *places_.initial(rank, chunk) : *places_.final(rank, chunk);
      builder.add_data_operation(PlanOp::copy, {own(before ? other : home)},
                                 {own(before ? home : other)});
    }
  }

  static PlanOperandRange own(Slot slot, std::uint32_t i = 0, std::uint32_t size = 1) {
    return {false, 0, slot.buffer, static_cast<std::uint32_t>(slot.offset) + i, size};
  }

  static std::vector<Rank> ranks(const std::vector<const Message*>& messages,
                                 Rank SendReceive::*rank) {
    std::vector<Rank> result;
    result.reserve(messages.size());
    for (const Message* m : messages) result.push_back(m->send_receive->*rank);
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void arrive(const std::vector<const Message*>& messages, PlanBlockBuilder& builder) const {
    if (messages.empty()) return;
    if (!options_.packets) {
      builder.signal_or_wait(ranks(messages, &SendReceive::src), PlanOp::wait);
      builder.synchronize();
    }
    for (const Message* m : messages) {
      if (m->direct) continue;
      for (std::uint32_t i = 0; i < m->send_receive->count; ++i) {
        const PlanOperandRange home = own(m->send_receive->to, i), slot = own(m->to, i);
        if (m->send_receive->combine) {
          builder.add_data_operation(options_.packets ? PlanOp::reduce_packets : PlanOp::reduce,
                                     {home, slot}, {home});
        } else {
          builder.add_data_operation(options_.packets ? PlanOp::unpack_packets : PlanOp::copy,
                                     {slot}, {home});
        }
      }
    }
  }

  void leave(const std::vector<const Message*>& messages, PlanBlockBuilder& builder) const {
    if (messages.empty()) return;
    // The sources of an operation are in one buffer.
    std::map<BufferKind, std::pair<std::vector<PlanOperandRange>, std::vector<PlanOperandRange>>>
        puts;
    const bool one_by_one = options_.packets || options_.lanes > 1;
    for (const Message* m : messages) {
      const SendReceive& send_receive = *m->send_receive;
      auto& [src, dst] = puts[send_receive.from.buffer];
      const std::uint32_t size = one_by_one ? 1 : send_receive.count;
      for (std::uint32_t i = 0; i < send_receive.count; i += size) {
        src.push_back(own(send_receive.from, i, size));
        dst.push_back({true, send_receive.dst, m->to.buffer,
                       static_cast<std::uint32_t>(m->to.offset) + i, size});
      }
    }
    if (!options_.packets) builder.synchronize();
    for (const auto& [buffer, operands] : puts) {
      const auto& [src, dst] = operands;
      for (std::size_t i = 0; i < src.size(); i += plan_limits::operands) {
        const std::size_t end = std::min<std::size_t>(i + plan_limits::operands, src.size());
        const auto part = [&](const std::vector<PlanOperandRange>& all) {
          return std::vector<PlanOperandRange>(all.begin() + static_cast<std::ptrdiff_t>(i),
                                               all.begin() + static_cast<std::ptrdiff_t>(end));
        };
        builder.add_data_operation(options_.packets ? PlanOp::put_packets : PlanOp::put, part(src),
                                   part(dst));
      }
    }
    if (options_.packets) return;
    builder.synchronize();
    builder.signal_or_wait(ranks(messages, &SendReceive::dst), PlanOp::signal);
  }

  const Source& source_;
  const Problem& problem_;
  PlanLoweringOptions options_;
  std::vector<std::vector<Run>> arrivals_;
  ChunkPlacement places_;
  std::vector<SendReceive> send_receives_;
  std::vector<Message> messages_;
  std::uint32_t scratch_ = 0;
};

/// Does every half of scratch wait for its readers, by the messages alone?
bool reuses_halves(const Plan& plan) {
  Source source;
  source.problem = plan.problem;
  source.plan = std::make_shared<Plan>(plan);
  CheckOptions options;
  options.checks = {"races"};
  options.max_findings = 1;
  return check_plan(source, options).verdict() == Verdict::holds;
}

}  // namespace

void refuse_plan(const Source& source, const PlanLoweringOptions& options) {
  const Problem& problem = source.problem;
  if (problem.declared()) {
    throw InputError("a plan of MSCCL++ does not state a custom collective");
  }
  if (problem.ordered) {
    throw InputError("the operators of MSCCL++ commute; it has no ordered reductions");
  }
  if (source.has_routers()) {
    throw InputError("MSCCL++ has no routers; write the schedule at endpoint level");
  }
  const bool rooted =
      problem.collective == Collective::gather || problem.collective == Collective::scatter;
  if (rooted && options.calls == Calls::in_place) {
    throw InputError(
        fmt::format("a {} in place has one buffer for input and output only at its root; an "
                    "in-place plan has one at every GPU",
                    info(problem.collective).name));
  }
  refuse(source);
}

Plan lower_plan(const Source& source, const Machine& machine, const PlanLoweringOptions& options) {
  refuse_plan(source, options);
  require_well_formed(source, "MSCCL++");
  PlanLowering lowering(source, machine, options);
  if (!options.packets) return lowering.run(true);
  Plan plan = lowering.run(false);
  return reuses_halves(plan) ? plan : lowering.run(true);
}

}  // namespace schedcc::program
