#pragma once

// Messages of a rank whose steps overlap: it sends as soon as it has the chunks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/table.hpp"

namespace schedcc::ti {

/// A message of a rank.
struct Message {
  std::uint64_t step;
  Rank peer;
  bool receive;
  std::uint64_t bytes;
  std::span<const mpi::Operation> operations;  ///< its runs of chunks
};

/// In which order a rank waits for its receives, and what it sends after each. Pointers are into
/// the messages.
struct OverlappingCalls {
  std::vector<const Message*> receives;
  std::vector<std::vector<const Message*>> sends;  ///< after 0, 1, 2, ... receives
};

/// Receives come in the order of the sends that need their chunks, and a send after the last
/// receive, of an earlier step, of its chunks. `messages` is in the order of the steps, the sends
/// of a step before its receives.
OverlappingCalls overlapping_calls(std::span<const Message> messages);

}  // namespace schedcc::ti
