// The layout of a collective's chunks in the buffers of a call, as NCCL and the runtimes of MSCCL
// define it. A block has K chunks; the blocks of a long buffer are in the order of their ranks. If
// a call uses one buffer for both, the shorter one is the rank's own block of the longer one.

#include <fmt/core.h>

#include "program/msccl_words.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

std::string_view name(BufferKind buffer) { return word_for(buffer_words, buffer); }

std::string to_text(const Slot& slot) {
  return fmt::format("{}[{}]", name(slot.buffer), slot.offset);
}

std::string_view name(Op op) { return word_for(op_words, op); }

std::string_view name(MscclDialect dialect) {
  return dialect == MscclDialect::msccl ? "msccl" : "azure";
}

std::uint32_t input_chunks(const Problem& problem, Rank rank) {
  if (problem.declared()) return problem.chunks;
  return static_cast<std::uint32_t>(problem.start(rank).chunks());
}

std::uint32_t output_chunks(const Problem& problem, Rank rank) {
  // Rank 0 of an exscan has an output, too, with anything in it.
  if (problem.declared() || problem.collective == Collective::exscan) return problem.chunks;
  return static_cast<std::uint32_t>(problem.goal(rank).chunks());
}

Slot in_place(const Problem& problem, Rank rank, Slot slot) {
  const auto own = [&](BufferKind longer) {
    return Slot{longer, slot.offset + static_cast<std::int32_t>(rank * problem.chunks)};
  };
  const bool input = slot.buffer == BufferKind::input, output = slot.buffer == BufferKind::output;
  switch (problem.collective) {
    case Collective::allgather:
      return input ? own(BufferKind::output) : slot;
    case Collective::reduce_scatter:
      return output ? own(BufferKind::input) : slot;
    case Collective::gather:
      return input && rank == problem.root ? own(BufferKind::output) : slot;
    case Collective::scatter:
      return output && rank == problem.root ? own(BufferKind::input) : slot;
    default:
      return input ? Slot{BufferKind::output, slot.offset} : slot;
  }
}

}  // namespace schedcc
