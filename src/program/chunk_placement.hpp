#pragma once

// Where a schedule's chunks are in the memory of the GPUs.
//
// A schedule knows one value of a chunk at a rank, so the chunk has one place there, its home, in
// which it is received, combined and sent from. It may begin in the input buffer and be wanted in
// the output buffer; where these are not the home it is copied before or after.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedcc/program.hpp"

namespace schedcc::program {

class ChunkPlacement {
 public:
  /// `received`: for each rank the runs of chunks that come to it, merged and ascending.
  ChunkPlacement(const Problem& problem, Calls calls,
                 const std::vector<std::vector<Run>>& received);

  Slot home(Rank rank, Chunk chunk) const;
  /// Where the rank has the chunk at the start, if it has it.
  std::optional<Slot> initial(Rank rank, Chunk chunk) const;
  /// Where the rank must have the chunk at the end, if it must.
  std::optional<Slot> final(Rank rank, Chunk chunk) const;
  /// Does the home have to be filled from the input, the output from the home?
  bool copied_in(Rank rank, Chunk chunk) const;
  bool copied_out(Rank rank, Chunk chunk) const;

  /// The chunks that a rank has or gets, ascending.
  std::vector<Chunk> chunks(Rank rank) const;
  std::uint32_t scratch(Rank rank) const;

 private:
  /// Where in a buffer that holds the runs the chunk is.
  std::optional<Slot> place(BufferKind buffer, const Runs& runs, Chunk chunk) const;
  bool receives(Rank rank, Chunk chunk) const;
  bool in_scratch(Rank rank, Chunk chunk) const;
  /// Are the two places the same in every call that the program is made for?
  bool same(Rank rank, Slot a, Slot b) const;

  const Problem& problem_;
  Calls calls_;
  const std::vector<std::vector<Run>>& received_;
  std::vector<std::vector<Chunk>>
      scratch_;  ///< by rank: the chunks whose home is scratch, ascending
};

}  // namespace schedcc::program
