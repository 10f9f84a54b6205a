#pragma once

// Races: two instructions of a GPU that use the same chunk of its memory, one of them writing,
// without an order. The order in which an instruction moves its chunks is undefined, so it races
// with itself if it reads a chunk and writes it as another one's destination.
//
// Before means: earlier in the same threadblock, or a dependency, or the send of a message that the
// other receives, and the transitive closure of these. A sender that waits for a full FIFO is not
// ordered by it.
//
// The events are processed in an order that the program allows. Each cell has its last write and
// the reads since then; a write must come after all of these, a read after the write. If all these
// pairs are ordered then so are all conflicting pairs, by transitivity; a pair that is not is a
// race. A threadblock's vector clock has the known progress of each threadblock of its GPU. First
// only the order within the GPU is used (that costs events times threadblocks of a GPU, and is
// nearly always enough); for pairs that are still open messages carry clocks, too.

#include <cstdint>
#include <vector>

#include "program/access.hpp"
#include "program/execution.hpp"
#include "program/memory.hpp"

namespace schedcc::program {

/// More threadblocks of a GPU than this are not compared: the format allows 128.
inline constexpr std::uint32_t max_blocks = 1024;

struct Race {
  Event first, second;  ///< in the order of processing; or the same one
  Slot slot;            ///< of the second's
  AccessKind first_kind, second_kind;
};

struct Races {
  std::vector<Race> found;  ///< one for each pair of events, by the second
  bool decided = true;      ///< false: some GPU has more threadblocks than are compared
};

/// `order` is that of a complete execution.
Races find_races(const Wiring& wiring, const std::vector<Event>& order, Call call);

}  // namespace schedcc::program
