#include "program/contents.hpp"

#include <algorithm>

namespace schedcc::program {

std::uint64_t buffer_length(const Program& program, Rank rank) {
  if (program.problem.custom) return program.chunks_per_loop;
  return std::max(input_chunks(program.problem, rank), output_chunks(program.problem, rank));
}

Contents::Contents(const Program& program)
    : problem_(program.problem),
      packed_(!problem_.custom || program.custom_places == CustomLayout::packed),
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
  const auto behind = std::ranges::upper_bound(row, offset, {}, &Piece::offset);
  if (behind == row.begin()) return std::nullopt;
  const Piece& piece = *(behind - 1);
  const std::uint64_t i = offset - piece.offset;
  if (i >= piece.run.count) return std::nullopt;
  return static_cast<Chunk>(piece.run.first + i);
}

}  // namespace schedcc::program
