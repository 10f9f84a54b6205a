// Lowering: schedule -> places -> moves -> channels -> threadblocks of each GPU -> limits.
//
// As few channels as the limits allow. If threadblocks become too long the chunks are distributed
// over twice as many channels, and so on. The result is checked like any other program: one that
// exceeds the limits is refused.
//
// A program must complete in calls of any size, the worst of which have a message for every chunk
// (fifo.hpp). A message of the schedule that has more chunks than half a FIFO holds may deadlock: a
// ring in which every GPU sends four chunks and then receives four stops if two fit. Then the
// chunks go through the schedule in waves, in which no message has more chunks than that, each on
// channels of its own as far as there are any, and one after another on the same channel, as in
// NCCL's own rings. If every message is received in the step in which it is sent, the waves have an
// order of execution with no more than half a FIFO under way, at least if no threadblock both
// receives and sends; so that is tried last. If not even that fits the limits, the program is
// limited to calls of the size that it completes.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/well_formed.hpp"
#include "program/execution.hpp"
#include "program/gpu_lowering.hpp"
#include "program/implied.hpp"
#include "program/limits.hpp"
#include "program/send_receive.hpp"
#include "program/wiring.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

std::uint32_t chunks_per_loop(const Problem& problem) {
  switch (problem.collective) {
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return problem.chunks * problem.ranks;
    default:
      return problem.chunks;
  }
}

/// Buffers with the sizes of the collective's calls; for custom collectives with the sizes used.
void size_buffers(Program& program, const ChunkPlacement& places) {
  const Problem& problem = program.problem;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Gpu& gpu = program.gpus[rank];
    gpu.input = input_chunks(problem, rank);
    gpu.output = output_chunks(problem, rank);
    gpu.scratch = places.scratch(rank);
  }
}

bool too_long(const Program& program) {
  const std::uint32_t most = find_runtime(program.runtime).steps;
  return std::ranges::any_of(program.gpus, [&](const Gpu& gpu) {
    return std::ranges::any_of(gpu.blocks,
                               [&](const Threadblock& block) { return block.steps.size() > most; });
  });
}

/// Throws InputError if the program breaks a limit.
void check_limits(const Wiring& wiring) {
  if (const auto beyond = beyond_limits(wiring); !beyond.empty()) {
    throw InputError("MSCCL's limits: " + beyond.front().message);
  }
}

/// A program, and the least number of chunks a message with which it completes; none: it does not.
struct Candidate {
  Program program;
  std::optional<std::uint32_t> chunks;
};

/// Throws InputError if the program breaks a limit.
Candidate checked(Program program) {
  const Wiring wiring(program);
  check_limits(wiring);
  if (!wiring.mismatches().empty()) throw InternalError(wiring.mismatches().front().message);
  const Execution run = execute(wiring, unbounded);
  if (!run.complete()) {
    throw InternalError("the program deadlocks: " + wiring.describe(run.stuck.front()));
  }
  const auto chunks = least_chunks(wiring, fifo_in_calls(program, 0).depth);
  return {std::move(program), chunks};
}

/// The message for a program that completes in calls of no size.
[[noreturn]] void refuse_stopped(const Program& program) {
  const Wiring wiring(program);
  const Fifo fifo = fifo_in_calls(program, 1);
  const Execution run = execute(wiring, fifo);
  for (const WaitCycle& circle : wait_cycles(wiring, run, fifo)) {
    for (std::size_t i = 0; i < circle.events.size(); ++i) {
      if (circle.waits[i].reason != Wait::Reason::room) continue;
      throw InputError(
          fmt::format("MSCCL's limits: a FIFO holds {} messages, and {} would wait "
                      "forever for room in it",
                      fifo.depth, wiring.describe(circle.events[i])));
    }
  }
  throw InternalError("the program deadlocks");
}

class Lowering {
 public:
  Lowering(const Source& source, const Machine& machine, const LoweringOptions& options)
      : source_(source),
        machine_(machine),
        options_(options),
        arrivals_(received(source)),
        places_(source.problem, options.calls, arrivals_) {}

  Program run() {
    Candidate best = by_steps();
    if (best.chunks != 1U) {
      try {
        in_waves(best);
      } catch (const InputError&) {  // too many instructions
      }
    }
    if (!best.chunks) refuse_stopped(best.program);
    if (*best.chunks > 1) best.program.max_bytes = largest_call(best.program, *best.chunks);
    return std::move(best.program);
  }

 private:
  Candidate by_steps() const {
    const Waves one;
    const std::vector<SendReceive> all = send_receives(source_, machine_, places_, one);
    for (std::uint32_t lanes = options_.channels;; lanes *= 2) {
      Program program = attempt(all, one, lanes, Pairing::paired);
      if (too_long(program) && program.channels * 2 <= find_runtime(program.runtime).channels)
        continue;
      return checked(std::move(program));
    }
  }

  /// Looks for a better candidate. Throws InputError if there are far too many instructions.
  void in_waves(Candidate& best) const {
    const auto together = static_cast<std::uint32_t>(fifo_in_calls(best.program, 0).depth / 2);
    const Waves waves(source_, together);
    const std::vector<SendReceive> all = send_receives(source_, machine_, places_, waves);
    for (const Pairing pairing : {Pairing::paired, Pairing::apart}) {
      std::uint32_t lanes = std::min(waves.count(), find_runtime(options_.runtime).channels);
      for (lanes = std::max(lanes, options_.channels);;
           lanes = std::max(lanes / 2, options_.channels)) {
        improve(best, attempt(all, waves, lanes, pairing));
        if (best.chunks == 1U) return;
        if (lanes == options_.channels) break;
      }
    }
  }

  static void improve(Candidate& best, Program program) {
    try {
      Candidate other = checked(std::move(program));
      if (other.chunks && (!best.chunks || *other.chunks < *best.chunks)) best = std::move(other);
    } catch (const InputError&) {  // it breaks a limit
    }
  }

  Program attempt(std::vector<SendReceive> send_receives, const Waves& waves, std::uint32_t lanes,
                  Pairing pairing) const {
    Program program;
    program.name = source_.title.empty() ? source_.name : source_.title;
    program.protocol = options_.protocol;
    program.runtime = options_.runtime;
    program.problem = source_.problem;
    program.in_place = options_.calls != Calls::out_of_place;
    program.out_of_place = options_.calls != Calls::in_place;
    program.chunks_per_loop = chunks_per_loop(source_.problem);
    program.gpus.resize(source_.problem.ranks);
    size_buffers(program, places_);
    // A program without messages still has a channel for its copies.
    program.channels =
        std::max(1U, assign_channels(send_receives, source_.problem.ranks, lanes, waves));
    std::vector<std::vector<const SendReceive*>> of(source_.problem.ranks);
    for (const SendReceive& send_receive : send_receives) {
      of[send_receive.src].push_back(&send_receive);
      of[send_receive.dst].push_back(&send_receive);
    }
    for (Rank rank = 0; rank < source_.problem.ranks; ++rank) {
      lower_gpu(program, rank, of[rank], places_, options_.calls, pairing);
    }
    return lean(std::move(program));
  }

  /// Without dependencies that are implied, unless they keep a limit: they end chains of sums.
  static Program lean(Program program) {
    Program result = without_implied(program);
    const bool within = beyond_limits(Wiring(result)).empty();
    return within || !beyond_limits(Wiring(program)).empty() ? std::move(result)
                                                             : std::move(program);
  }

  const Source& source_;
  const Machine& machine_;
  const LoweringOptions& options_;
  std::vector<std::vector<Run>> arrivals_;
  ChunkPlacement places_;
};

}  // namespace

Program lower(const Source& source, const Machine& machine, const LoweringOptions& options) {
  refuse(source);
  require_well_formed(source, "MSCCL");
  return Lowering(source, machine, options).run();
}

}  // namespace schedcc::program
