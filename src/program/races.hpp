#pragma once

// Races: two instructions of a GPU that use the same chunk of its memory, one of them writing, and
// nothing says which comes first. An instruction moves its chunks in no order that anybody
// promises, so it races with itself where it reads a chunk and writes it as another one's
// destination.
//
// Before means: earlier in the same threadblock, or named as what must be done first, or the send
// of a message that the other receives, and whatever follows from these. That a FIFO is full and
// makes a sender wait is no order to rely on.
//
// The events are looked at in an order that the program allows. Each cell remembers its last write
// and the reads since then; a write must come after all of these, a read after the write. If all
// these pairs are ordered then so are all pairs that conflict, by transitivity; a pair that is not
// is a race. A threadblock's clock says how far each threadblock of its GPU is known to be. First
// only what happens within the GPU is counted (that costs events times threadblocks of a GPU, and
// is nearly always enough); for what is then left open the clocks travel with messages, too.

#include <cstdint>
#include <vector>

#include "program/execution.hpp"
#include "program/memory.hpp"

namespace schedcc::program {

/// More threadblocks of a GPU than this are not compared: the format allows 128.
inline constexpr std::uint32_t most_blocks = 1024;

struct Race {
  Event first, second;  ///< in the order in which they were looked at; or the same one
  Slot slot;            ///< of the second's
  bool first_writes, second_writes;
};

struct Races {
  std::vector<Race> found;  ///< one for each pair of events, by the second
  bool decided = true;      ///< false: some GPU has more threadblocks than are compared
};

/// `order` is that of a complete execution.
Races find_races(const Wiring& wiring, const std::vector<Event>& order, Call call);

}  // namespace schedcc::program
