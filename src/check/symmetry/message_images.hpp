#pragma once

// Are the messages of a step rotations of a few, whatever runs their chunks make?
//
// A rotation moves chunks that follow one another to chunks that do, but for those between which
// numbers begin again from 0: a run of several blocks becomes one run or two, and what was the last
// run of a message may become the first one. So the messages of ranks are compared as sets of
// chunks: of a message of one rank the runs of its image are made, in ascending order and with
// adjacent ones joined, and compared with those of another rank's message.
//
// Chunks c of an allgather, of reduce-scatter, and of an allreduce in P blocks move around one ring
// of P blocks: g_r adds r blocks, modulo all. Those of an alltoall are P such rings, one for each
// origin: g_r moves ring o to o + r, and within it adds r blocks (symmetry.hpp).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check/symmetry/symmetry.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The messages of a step as the images of a few, the seeds, under rotations.
class MessageImages {
 public:
  explicit MessageImages(const Symmetry& symmetry) : symmetry_(symmetry) {}

  /// All transfers of a step. False if it is not seen to be symmetric: recognised are messages that
  /// come sender by sender or orbit by orbit (Orbits), of runs that are in two rings at most, on
  /// average. If so, appends to `seeds` the transfers of which all are images, each of chunks of
  /// one block.
  bool read(std::span<const Transfer> transfers, Transfers& seeds);

 private:
  using Message = std::span<const Transfer>;
  /// Runs of chunks of one ring.
  struct Ring {
    std::uint64_t number;
    std::vector<Run> runs;  ///< from the first chunk of the ring on
  };

  void divide(std::span<const Transfer> transfers);
  bool put_in_order(std::span<const Transfer> transfers);
  std::uint64_t ring_size() const;
  bool set_seed(const Message& message);
  bool is_image(const Message& message, Rank by) const;

  Symmetry symmetry_;
  std::vector<Message> messages_;  ///< of the step, or of `ordered_`
  Transfers ordered_;
  Message seed_;
  std::vector<Ring> rings_;  ///< of the seed
};

}  // namespace schedcc
