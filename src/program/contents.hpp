#pragma once

// The contents of the buffers of a program's GPUs at the start of a call, and those required at its
// end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/program.hpp"

namespace schedcc::program {

/// The chunks of the longer buffer of a rank in a call of the program's collective.
std::uint64_t buffer_length(const Program& program, Rank rank);

/// The limit on chunks whose values are followed that the buffers of the program exceed, in words;
/// empty if they do not.
std::string exceeded_tracking_limit(const Program& program);

class Contents {
 public:
  /// The program outlives it. The layout of a custom collective must be known. Memory: proportional
  /// to the runs that ranks start with.
  explicit Contents(const Program& program);

  /// The chunk at a place of the rank's input at the start; none if there is none.
  std::optional<Chunk> start(Rank rank, std::uint64_t offset) const;
  /// Calls f(offset, chunk) for each place of the rank's output that matters at the end.
  template <typename F>
  void for_each_goal(Rank rank, F f) const {
    std::uint32_t next = 0;
    for (const Run run : problem_.goal(rank)) {
      const std::uint32_t offset = packed_ ? next : run.first;
      for (std::uint32_t i = 0; i < run.count; ++i) f(offset + i, run.first + i);
      next += run.count;
    }
  }

 private:
  /// Consecutive chunks in a buffer.
  struct Piece {
    std::uint32_t offset;
    Run run;
  };
  using Row = std::vector<Piece>;  ///< ascending

  const Problem& problem_;
  bool packed_;              ///< chunks are consecutive, or else by number
  std::vector<Row> starts_;  ///< by rank
};

}  // namespace schedcc::program
