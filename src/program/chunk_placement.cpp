// Contributions are combined at the same position on both ends of a message, since both ends have
// one pair of fields for the sender's sum, the receiver's sum, and the result: in the output if all
// GPUs have one of the full size, else in scratch (in a reduce-scatter in place in the input, as in
// MSCCL's own programs). Chunks that are only forwarded are received in scratch, numbered by chunk.

#include "program/chunk_placement.hpp"

#include <algorithm>

#include "model/runs.hpp"

namespace schedcc::program {

namespace {

Slot slot(BufferKind buffer, std::uint64_t offset) {
  return {buffer, static_cast<std::int32_t>(offset)};
}

}  // namespace

ChunkPlacement::ChunkPlacement(const Problem& problem, Calls calls,
                               const std::vector<std::vector<Run>>& received)
    : problem_(problem), calls_(calls), received_(received), scratch_(problem.ranks) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    for (const Chunk chunk : chunks(rank)) {
      if (in_scratch(rank, chunk)) scratch_[rank].push_back(chunk);
    }
  }
}

bool ChunkPlacement::receives(Rank rank, Chunk chunk) const {
  return contains(received_[rank], chunk);
}

std::vector<Chunk> ChunkPlacement::chunks(Rank rank) const {
  std::vector<Run> runs = received_[rank];
  for (const Run run : problem_.start(rank)) runs.push_back(run);
  std::vector<Chunk> result;
  for (const Run& run : united(runs)) {
    for (std::uint64_t chunk = run.first; chunk < end(run); ++chunk) {
      result.push_back(static_cast<Chunk>(chunk));
    }
  }
  return result;
}

std::optional<Slot> ChunkPlacement::initial(Rank rank, Chunk chunk) const {
  return place(BufferKind::input, problem_.start(rank), chunk);
}

std::optional<Slot> ChunkPlacement::final(Rank rank, Chunk chunk) const {
  return place(BufferKind::output, problem_.goal(rank), chunk);
}

/// In the buffers of a custom collective chunks stand by number, in others one after the other.
std::optional<Slot> ChunkPlacement::place(BufferKind buffer, const Runs& runs, Chunk chunk) const {
  if (!runs.contains(chunk)) return std::nullopt;
  return slot(buffer, problem_.declared() ? chunk : runs.chunks_before(chunk));
}

bool ChunkPlacement::in_scratch(Rank rank, Chunk chunk) const {
  if (problem_.reduced(chunk)) {
    return problem_.collective == Collective::reduce ||
           (problem_.collective == Collective::reduce_scatter && calls_ != Calls::in_place);
  }
  const bool comes = receives(rank, chunk), starts = problem_.starts_with(rank, chunk);
  if (final(rank, chunk)) return false;
  // In place, an alltoall has the chunks that it sends where it must receive others.
  const bool occupied =
      problem_.collective == Collective::alltoall && calls_ != Calls::out_of_place;
  return comes || !starts || occupied;
}

Slot ChunkPlacement::home(Rank rank, Chunk chunk) const {
  if (in_scratch(rank, chunk)) {
    if (problem_.reduced(chunk)) return slot(BufferKind::scratch, chunk);
    const auto& list = scratch_[rank];
    const auto at = std::ranges::lower_bound(list, chunk);
    return slot(BufferKind::scratch, static_cast<std::uint64_t>(at - list.begin()));
  }
  if (problem_.reduced(chunk)) {
    const bool scattered = problem_.collective == Collective::reduce_scatter;
    return slot(scattered ? BufferKind::input : BufferKind::output, chunk);
  }
  const std::optional<Slot> starts = initial(rank, chunk);
  const bool beside_others = problem_.collective == Collective::allgather;
  if (starts && !receives(rank, chunk) && !beside_others) return *starts;
  return *final(rank, chunk);
}

bool ChunkPlacement::same(Rank rank, Slot a, Slot b) const {
  return a == b ||
         (calls_ == Calls::in_place && in_place(problem_, rank, a) == in_place(problem_, rank, b));
}

bool ChunkPlacement::copied_in(Rank rank, Chunk chunk) const {
  const std::optional<Slot> starts = initial(rank, chunk);
  return starts && !same(rank, *starts, home(rank, chunk));
}

bool ChunkPlacement::copied_out(Rank rank, Chunk chunk) const {
  const std::optional<Slot> ends = final(rank, chunk);
  return ends && !same(rank, *ends, home(rank, chunk));
}

std::uint32_t ChunkPlacement::scratch(Rank rank) const {
  if (scratch_[rank].empty()) return 0;
  return static_cast<std::uint32_t>(home(rank, scratch_[rank].back()).offset) + 1;
}

}  // namespace schedcc::program
