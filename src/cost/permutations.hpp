#pragma once

// Steps in which each rank sends one message and receives one, all of the same size.
//
// Where a clock treats all ranks alike, and all steps so far were of this kind, all ranks are in
// the same state: each has sent and received the same sizes in the same steps, whoever the partners
// were. So one rank, which sends its messages to itself, stands for all of them, until a step is of
// another kind. (Proof by induction: a rank's send depends on its own state and the size, a receive
// on the receiver's state, the sender's, which is the same, and the size.)

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost/messages.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Finds such steps.
class Permutations {
 public:
  explicit Permutations(Rank ranks) : ranks_(ranks) {}

  /// The chunks of each message if every rank sends one and receives one of as many; else none.
  std::optional<std::uint64_t> chunks_of(std::span<const SizedMessage> messages);

 private:
  struct Mark {
    std::uint64_t sent = 0, received = 0;  ///< the number of the last call in which it did
  };

  Rank ranks_;
  std::vector<Mark> marks_;  ///< of ranks, from the first step of as many messages on
  std::uint64_t calls_ = 0;
};

/// The permutations that a schedule begins with, kept to be timed with other sizes.
struct KeptPermutations {
  struct Kept {
    std::uint64_t number;  ///< of the step
    std::uint64_t chunks;  ///< of each message
  };
  std::vector<Kept> steps = {};
  std::uint64_t row = 0;  ///< of the schedule, from which it goes on
  bool ended = false;     ///< it does not
};

/// The size of each message of a row that is made as rotations of these seeds, if each rank sends
/// one to another; else none. A block has as many chunks as a message has `sizes`, so that equal
/// places in blocks have equal sizes.
std::optional<MessageSize> size_of_rotations(std::span<const Transfer> seeds, Rank ranks,
                                             const ChunkBytes& sizes);

}  // namespace schedcc
