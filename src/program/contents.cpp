#include "program/contents.hpp"

#include <algorithm>

namespace schedcc::program {

std::uint64_t buffer_length(const Program& program, Rank rank) {
  if (program.problem.custom) return program.chunks_per_loop;
  return std::max(input_chunks(program.problem, rank), output_chunks(program.problem, rank));
}

Contents::Contents(const Program& program) : problem_(program.problem) {
  if (!problem_.custom) return;
  starts_.resize(problem_.ranks);
  goals_.resize(problem_.ranks);
  for (const Holding& h : problem_.custom->starts()) {
    starts_[h.rank] = row(h.runs, program.custom_places);
  }
  for (const Holding& h : problem_.custom->goals()) {
    goals_[h.rank] = row(h.runs, program.custom_places);
  }
}

Contents::Row Contents::row(const std::vector<Run>& runs, CustomLayout places) {
  Row result;
  std::uint32_t next = 0;
  for (const Run& run : runs) {
    result.push_back({places == CustomLayout::packed ? next : run.first, run});
    next += run.count;
  }
  return result;
}

std::optional<Chunk> Contents::start(Rank rank, std::uint64_t offset) const {
  if (!problem_.custom) {
    if (offset >= input_chunks(problem_, rank)) return std::nullopt;
    return input_chunk(problem_, rank, static_cast<std::uint32_t>(offset));
  }
  const Row& row = starts_[rank];
  const auto behind = std::ranges::upper_bound(row, offset, {}, &Piece::offset);
  if (behind == row.begin()) return std::nullopt;
  const Piece& piece = *(behind - 1);
  const std::uint64_t i = offset - piece.offset;
  if (i >= piece.run.count) return std::nullopt;
  return static_cast<Chunk>(piece.run.first + i);
}

}  // namespace schedcc::program
