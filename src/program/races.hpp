#pragma once

// Races: two instructions of a GPU that use the same chunk of its memory, one of them writing,
// without an order. The order in which an instruction moves its chunks is undefined, so it races
// with itself if it reads a chunk and writes it as another one's destination.
//
// Before means: earlier in the same threadblock, or a dependency, or the send of a message that the
// other receives, and the transitive closure of these. A sender that waits for a full FIFO is not
// ordered by it.
//
// An instruction may be several messages, and one that receives and sends passes each on before it
// has the next. So of the chunks of an instruction, one is before what receives it and those after
// it in the same message only: chunk i of an instruction is before chunk j of another if a chain of
// messages leads there and i <= j, or a chain with an edge of another kind, which begins when all
// chunks are done.
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
  Event first, second;     ///< in the order of processing; or the same one
  bool overtakes = false;  ///< the first's chunk is a later one of its instruction
  Slot slot;               ///< of the second's
  AccessKind first_kind, second_kind;
};

struct Races {
  std::vector<Race> found;  ///< one for each pair of events, by the second
  bool decided = true;      ///< false: some GPU has more threadblocks than are compared
};

/// `order` is that of a complete execution.
Races find_races(const Wiring& wiring, const std::vector<Event>& order, Call call);

}  // namespace schedcc::program
