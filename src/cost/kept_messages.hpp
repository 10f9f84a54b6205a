#pragma once

// The messages of a schedule's first steps, kept to be timed with other sizes.
//
// In LogP and LogGP the time of a schedule is not a function of the size of its chunks alone, so
// that it is timed for each size by itself, as is, in other models, a schedule whose chunks have
// two sizes. Making the transfers and collecting them into messages takes most of the time, and
// gives the same each time but for the bytes, which follow from the runs of chunks of a message.

#include <cstdint>
#include <span>
#include <vector>

#include "cost/messages.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

class KeptMessages {
 public:
  /// A step without its messages.
  struct Kept {
    std::uint64_t number;
    std::uint32_t rounds;
    std::size_t messages;  ///< where those of the step end
  };

  /// Adds a step that was read with `reader`.
  void add(const Step& step, const MessageReader& reader, std::span<const SizedMessage> messages);
  /// The schedule goes on from this row, or has ended there.
  void read_to(std::uint64_t row, bool end) { row_ = row, ended_ = end; }

  std::uint64_t row() const { return row_; }
  bool ended() const { return ended_; }
  std::span<const Kept> steps() const { return steps_; }
  /// The messages of steps()[i] with these sizes of chunks, valid until the next call.
  std::span<const SizedMessage> read(std::size_t i, const ChunkBytes& bytes);

 private:
  /// A run of chunks of a message.
  struct Run {
    Chunk first;
    std::uint32_t count;
  };
  struct KeptMessage {
    Rank src, dst;
    std::uint64_t chunks;
    std::size_t runs;  ///< where its runs end
  };

  std::uint64_t row_ = 0;
  bool ended_ = false;
  std::vector<Kept> steps_;
  std::vector<KeptMessage> messages_;
  std::vector<Run> runs_;
  std::vector<std::size_t> places_;  ///< add(): where the next run of each message goes
  std::vector<SizedMessage> sized_;  ///< of a step
};

}  // namespace schedcc
