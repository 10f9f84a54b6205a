// schedule -> places -> moves -> channels -> threadblocks of each GPU -> limits
//
// As few channels as the limits let. Where threadblocks become too long the chunks are shared out
// over twice as many channels, and so on. The result is looked at as if somebody else had written
// it: what does not keep to the limits, or stops because more messages are under way than a FIFO
// holds, is refused.

#include "program/lower.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "checker/shape.hpp"
#include "program/execution.hpp"
#include "program/gpu_lowering.hpp"
#include "program/limits.hpp"
#include "program/moves.hpp"
#include "program/wiring.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

constexpr std::uint64_t fifo_slots = 8;

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

/// Buffers as long as the collective's calls have them; custom collectives: where they are used.
void size_buffers(Program& program, const Places& places) {
  const Problem& problem = program.problem;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Gpu& gpu = program.gpus[rank];
    gpu.input = input_chunks(problem, rank);
    gpu.output = output_chunks(problem, rank);
    gpu.scratch = places.scratch(rank);
  }
}

Program attempt(const Source& source, const Places& places, std::vector<Move> moves, Calls calls,
                std::uint32_t lanes) {
  Program program;
  program.name = source.title.empty() ? source.name : source.title;
  program.problem = source.problem;
  program.in_place = calls != Calls::out_of_place;
  program.out_of_place = calls != Calls::in_place;
  program.chunks_per_loop = chunks_per_loop(source.problem);
  program.gpus.resize(source.problem.ranks);
  size_buffers(program, places);
  // A program without messages still has a channel for its copies.
  program.channels = std::max(1U, assign_channels(moves, source.problem.ranks, lanes));
  std::vector<std::vector<const Move*>> of(source.problem.ranks);
  for (const Move& move : moves) {
    of[move.src].push_back(&move);
    of[move.dst].push_back(&move);
  }
  for (Rank rank = 0; rank < source.problem.ranks; ++rank) {
    lower_gpu(program, rank, of[rank], places, calls);
  }
  return program;
}

bool too_long(const Program& program) {
  return std::ranges::any_of(program.gpus, [](const Gpu& gpu) {
    return std::ranges::any_of(
        gpu.blocks, [](const Threadblock& block) { return block.steps.size() > limits::steps; });
  });
}

/// Throws InputError where the program breaks a limit.
void check(const Program& program) {
  const Wiring wiring(program);
  if (const auto beyond = beyond_limits(wiring); !beyond.empty()) {
    throw InputError("MSCCL's limits: " + beyond.front().message);
  }
  if (!wiring.misfits().empty()) throw InternalError(wiring.misfits().front().message);
  const Execution run = execute(wiring, fifo_slots);
  if (run.complete()) return;
  if (!execute(wiring, unbounded).complete()) {
    throw InternalError("a program waits for ever: " + wiring.describe(run.stuck.front()));
  }
  for (const Circle& circle : circles(wiring, run, fifo_slots)) {
    for (std::size_t i = 0; i < circle.events.size(); ++i) {
      if (circle.waits[i].what != Wait::For::room) continue;
      throw InputError(
          fmt::format("MSCCL's limits: a FIFO holds {} messages, and {} would wait for "
                      "room in it for ever",
                      fifo_slots, wiring.describe(circle.events[i])));
    }
  }
  throw InternalError("a program waits for ever");
}

}  // namespace

Program lower(const Source& source, const Machine& machine, const LoweringOptions& options) {
  refuse(source);
  refuse_misshapen(source, "MSCCL");
  const std::vector<std::vector<Run>> arrivals = received(source);
  const Places places(source.problem, options.calls, arrivals);
  const std::vector<Move> all = moves(source, machine, places);
  for (std::uint32_t lanes = options.channels;; lanes *= 2) {
    Program program = attempt(source, places, all, options.calls, lanes);
    if (too_long(program) && program.channels * 2 <= limits::channels) continue;
    check(program);
    return program;
  }
}

}  // namespace schedcc::program
