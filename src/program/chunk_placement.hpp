#pragma once

// Where a schedule's chunks are in the memory of the GPUs.
//
// A schedule has one value of a chunk at a rank, so the chunk has one place there, its home, in
// which it is received and combined, and from which it is sent. It may begin in the input buffer
// and be required in the output buffer; if these are not the home it is copied before or after.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedcc/program.hpp"

namespace schedcc::program {

class ChunkPlacement {
 public:
  /// `received`: for each rank the runs of chunks that it receives, merged and ascending.
  ChunkPlacement(const Problem& problem, Calls calls,
                 const std::vector<std::vector<Run>>& received);

  Slot home(Rank rank, Chunk chunk) const;
  /// The place of the chunk at the start, if the rank has it.
  std::optional<Slot> initial(Rank rank, Chunk chunk) const;
  /// The place of the chunk at the end, if the rank must have it.
  std::optional<Slot> final(Rank rank, Chunk chunk) const;
  /// Must the chunk be copied from the input to its home, from its home to the output?
  bool copied_in(Rank rank, Chunk chunk) const;
  bool copied_out(Rank rank, Chunk chunk) const;

  /// The chunks that a rank has or receives, ascending.
  std::vector<Chunk> chunks(Rank rank) const;
  std::uint32_t scratch(Rank rank) const;

 private:
  /// The place of the chunk in a buffer that holds the runs.
  std::optional<Slot> place(BufferKind buffer, const Runs& runs, Chunk chunk) const;
  bool receives(Rank rank, Chunk chunk) const;
  bool in_scratch(Rank rank, Chunk chunk) const;
  /// Are the two places the same in every call that the program serves?
  bool same(Rank rank, Slot a, Slot b) const;

  const Problem& problem_;
  Calls calls_;
  const std::vector<std::vector<Run>>& received_;
  std::vector<std::vector<Chunk>>
      scratch_;  ///< by rank: the chunks whose home is scratch, ascending
};

}  // namespace schedcc::program
