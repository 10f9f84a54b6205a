#include "right_plans.hpp"

#include <cstdint>

namespace plans {

Operations& ops(Plan& plan, Rank gpu, std::size_t block) {
  return plan.gpus[gpu].blocks[block].steps;
}

namespace {

PlanStep signal(Rank rank, PlanChannel channel = PlanChannel::memory) {
  return signals(PlanOp::signal, 2, rank, {1 - rank}, channel);
}
PlanStep wait(Rank rank, PlanChannel channel = PlanChannel::memory) {
  return signals(PlanOp::wait, 2, rank, {1 - rank}, channel);
}
Operations hello(Rank rank) {
  return {signals(PlanOp::relaxed_signal, 2, rank, {1 - rank}),
          signals(PlanOp::relaxed_wait, 2, rank, {1 - rank}), nop()};
}
void append(Operations& to, const Operations& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Plan by_put() {
  Plan plan = empty("allgather", 2, 1, 2, 0);
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), hello(r));
    append(ops(plan, r),
           {step(PlanOp::put, {own(in, 0)}, {at(1 - r, out, r)}),
            step(PlanOp::copy, {own(in, 0)}, {own(out, r)}), nop(), signal(r), wait(r)});
  }
  return plan;
}

Plan by_read() {
  Plan plan = empty("reducescatter", 2, 2, 1, 2);
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), hello(r));
    append(ops(plan, r), {step(PlanOp::read_reduce, {own(in, r), at(1 - r, in, r)}, {own(out, 0)}),
                          nop(), signal(r), wait(r)});
  }
  return plan;
}

namespace {

/// Reads, adds and writes back, in place; `get` needs equal offsets.
Plan by_read_and_write() {
  Plan plan = empty("allreduce", 2, 4, 4, 4);
  plan.in_place = true;
  for (Rank r = 0; r < 2; ++r) {
    const std::uint32_t mine = 2 * r;
    append(ops(plan, r), hello(r));
    append(ops(plan, r),
           {step(PlanOp::read_reduce_send, {own(in, mine), at(1 - r, in, mine)},
                 {own(in, mine), at(1 - r, in, mine)}),
            step(PlanOp::get, {at(1 - r, in, mine + 1)}, {own(scratch, mine + 1)}), nop(),
            step(PlanOp::reduce_send, {own(in, mine + 1), own(scratch, mine + 1)},
                 {own(in, mine + 1), at(1 - r, in, mine + 1)}),
            nop(), signal(r), wait(r)});
  }
  return plan;
}

}  // namespace

Plan by_two_blocks(bool by_barrier) {
  Plan plan = empty("allreduce", 2, 1, 1, 1, 2);
  for (Rank r = 0; r < 2; ++r) {
    plan.gpus[r].semaphores = {0};
    append(ops(plan, r, 0), hello(r));
    append(ops(plan, r, 0),
           {step(PlanOp::put, {own(in, 0)}, {at(1 - r, scratch, 0)}), nop(), signal(r), wait(r),
            nop(), by_barrier ? barrier(3, 2) : semaphore(PlanOp::semaphore_release, 0)});
    append(ops(plan, r, 1),
           {by_barrier ? barrier(3, 2) : semaphore(PlanOp::semaphore_acquire, 0), nop(),
            step(PlanOp::reduce, {own(in, 0), own(scratch, 0)}, {own(out, 0)})});
  }
  return plan;
}

namespace {

/// Two threadblocks divide every operation.
Plan by_groups() {
  Plan plan = empty("allgather", 2, 1, 2, 0, 2);
  for (Rank r = 0; r < 2; ++r) {
    for (std::uint32_t part = 0; part < 2; ++part) {
      const auto channel = [&](PlanOp op) {
        return signals(op, 2, r, {1 - r}, PlanChannel::memory, part);
      };
      Operations& steps = ops(plan, r, part);
      append(steps, {channel(PlanOp::relaxed_signal), channel(PlanOp::relaxed_wait), nop(),
                     step(PlanOp::put, {own(in, 0)}, {at(1 - r, out, r)}),
                     step(PlanOp::copy, {own(in, 0)}, {own(out, r)}), nop(),
                     channel(PlanOp::signal), channel(PlanOp::wait)});
      for (PlanStep& s : steps) {
        if (s.src.empty()) continue;
        s.part = part;
        s.parts = 2;
      }
    }
  }
  return plan;
}

}  // namespace

Plan by_port() {
  Plan plan = empty("allgather", 2, 1, 2, 0);
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), {signal(r, PlanChannel::port), wait(r, PlanChannel::port), nop()});
    PlanStep put =
        step(PlanOp::put_signal_flush, {own(in, 0)}, {at(1 - r, out, r)}, PlanChannel::port);
    put.channels = {0};
    append(ops(plan, r),
           {put, step(PlanOp::copy, {own(in, 0)}, {own(out, r)}), wait(r, PlanChannel::port)});
  }
  return plan;
}

namespace {

/// A pipeline of two threadblocks with a slice of scratch each.
Plan by_pipeline() {
  Plan plan = empty("allgather", 2, 1, 2, 1, 2);
  for (Rank r = 0; r < 2; ++r) {
    plan.gpus[r].semaphores = {0};
    PlanStep pipeline = step(PlanOp::pipeline);
    pipeline.unit = 1024;
    pipeline.chunks = 1;
    append(ops(plan, r, 0), hello(r));
    pipeline.body = 6;
    append(ops(plan, r, 0),
           {pipeline, step(PlanOp::put, {own(in, 0)}, {at(1 - r, scratch, 0)}), nop(), signal(r),
            wait(r), nop(), semaphore(PlanOp::semaphore_release, 0)});
    pipeline.body = 4;
    append(ops(plan, r, 1), {pipeline, semaphore(PlanOp::semaphore_acquire, 0), nop(),
                             step(PlanOp::copy, {own(scratch, 0)}, {own(out, 1 - r)}),
                             step(PlanOp::copy, {own(in, 0)}, {own(out, r)})});
  }
  return plan;
}

Plan packets(const std::string& collective, std::uint32_t input, std::uint32_t output,
             std::uint32_t slots, Rank ranks = 2) {
  Plan plan = empty(collective, ranks, input, output, slots);
  plan.protocol = "LL";
  plan.two_halves = true;
  return plan;
}

}  // namespace

Plan by_packets() {
  Plan plan = packets("allgather", 1, 2, 1);
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), {step(PlanOp::put_packets, {own(in, 0)}, {at(1 - r, scratch, 0)}),
                          step(PlanOp::copy, {own(in, 0)}, {own(out, r)}),
                          step(PlanOp::unpack_packets, {own(scratch, 0)}, {own(out, 1 - r)})});
  }
  return plan;
}

namespace {

/// Sums as packets: chunk r is added at GPU r and sent back.
Plan by_packet_sums(PlanOp op) {
  const bool copies = op == PlanOp::reduce_copy_send_packets;
  Plan plan = packets("allreduce", 2, 2, 3);
  for (Rank r = 0; r < 2; ++r) {
    Operations& steps = ops(plan, r);
    append(steps, {step(PlanOp::put_packets, {own(in, 1 - r)}, {at(1 - r, scratch, 0)})});
    if (copies) {
      append(steps, {step(op, {own(in, r), own(scratch, 0)},
                          {own(out, r), own(scratch, 2), at(1 - r, scratch, 1)})});
    } else {
      append(steps,
             {step(op, {own(in, r), own(scratch, 0)}, {own(out, r), at(1 - r, scratch, 1)})});
    }
    append(steps, {step(PlanOp::unpack_packets, {own(scratch, 1)}, {own(out, 1 - r)})});
  }
  return plan;
}

/// Packets go round three GPUs, by memory or by port channels.
Plan by_forwarding(PlanChannel channel) {
  Plan plan = packets("allgather", 1, 3, 2, 3);
  for (Rank r = 0; r < 3; ++r) {
    const Rank next = (r + 1) % 3, before = (r + 2) % 3, first = (r + 1) % 3;
    PlanStep forward =
        step(PlanOp::read_put_packets, {own(scratch, 0)}, {at(next, scratch, 1)}, channel);
    forward.channels = {next - (next > r ? 1 : 0)};
    append(ops(plan, r), {step(PlanOp::put_packets, {own(in, 0)}, {at(next, scratch, 0)}), forward,
                          step(PlanOp::copy, {own(in, 0)}, {own(out, r)}),
                          step(PlanOp::unpack_packets, {own(scratch, 0)}, {own(out, before)}),
                          step(PlanOp::unpack_packets, {own(scratch, 1)}, {own(out, first)})});
  }
  return plan;
}

}  // namespace

Plan by_switch() {
  Plan plan = empty("allreduce", 2, 2, 2, 0);
  plan.in_place = true;
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), hello(r));
    append(ops(plan, r),
           {step(PlanOp::multi_reduce_store, {all(in, r)}, {all(in, r)}, PlanChannel::multicast),
            nop(), signal(r), wait(r)});
  }
  return plan;
}

namespace {

/// The same with packets.
Plan by_switched_packets() {
  Plan plan = packets("allgather", 1, 2, 4);
  for (Rank r = 0; r < 2; ++r) {
    append(ops(plan, r), {step(PlanOp::copy_packets, {own(in, 0)}, {own(scratch, 2 + r)}),
                          step(PlanOp::multi_store_packets, {own(scratch, 2 + r)},
                               {all(scratch, r)}, PlanChannel::multicast),
                          step(PlanOp::unpack_packets, {own(scratch, 0)}, {own(out, 0)}),
                          step(PlanOp::unpack_packets, {own(scratch, 1)}, {own(out, 1)})});
  }
  return plan;
}

}  // namespace

std::vector<NamedPlan> right_plans() {
  return {{"put", by_put()},
          {"read", by_read()},
          {"read and write", by_read_and_write()},
          {"semaphore", by_two_blocks(false)},
          {"barrier", by_two_blocks(true)},
          {"groups", by_groups()},
          {"port", by_port()},
          {"pipeline", by_pipeline()},
          {"packets", by_packets()},
          {"packet sums", by_packet_sums(PlanOp::reduce_send_packets)},
          {"copied packet sums", by_packet_sums(PlanOp::reduce_copy_send_packets)},
          {"forwarded packets", by_forwarding(PlanChannel::memory)},
          {"packets by port", by_forwarding(PlanChannel::port)},
          {"switched packets", by_switched_packets()}};
}

}  // namespace plans
