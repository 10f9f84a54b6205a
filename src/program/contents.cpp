#include "program/contents.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "program/limits.hpp"

namespace schedcc::program {

std::uint64_t buffer_length(const Program& program, Rank rank) {
  if (program.problem.declared()) return program.chunks_per_loop;
  return std::max(input_chunks(program.problem, rank), output_chunks(program.problem, rank));
}

std::string exceeded_tracking_limit(const Program& program) {
  constexpr std::uint32_t max_length = limits::offset + 1;                      // by the format
  constexpr std::uint64_t max_ends = std::uint64_t{limits::gpus} * max_length;  // by the runtimes
  std::uint64_t ends = 0;
  for (Rank rank = 0; rank < program.problem.ranks; ++rank) {
    const std::uint64_t length = buffer_length(program, rank);
    if (length > max_length) {
      return fmt::format("a buffer has more than {}, the limit for tracking values",
                         counted(max_length, "chunk"));
    }
    ends += length;
  }
  if (ends <= max_ends) return {};
  return fmt::format("the GPUs end with {} in all; at most {} are tracked", counted(ends, "chunk"),
                     max_ends);
}

Contents::Contents(const Program& program)
    : problem_(program.problem),
      packed_(!problem_.declared() || program.custom_places == CustomLayout::packed),
      starts_(problem_.ranks) {
  problem_.for_each_start([&](Rank rank, const Runs& runs) {
    std::uint32_t next = 0;
    for (const Run run : runs) {
      starts_[rank].push_back({packed_ ? next : run.first, run});
      next += run.count;
    }
  });
}

std::optional<Chunk> Contents::start(Rank rank, std::uint64_t offset) const {
  const Row& row = starts_[rank];
  const auto after = std::ranges::upper_bound(row, offset, {}, &Piece::offset);
  if (after == row.begin()) return std::nullopt;
  const Piece& piece = *(after - 1);
  const std::uint64_t i = offset - piece.offset;
  if (i >= piece.run.count) return std::nullopt;
  return static_cast<Chunk>(piece.run.first + i);
}

}  // namespace schedcc::program
