#pragma once

// A schedule's transfers as moves from place to place, and the channels that they take.

#include <cstdint>
#include <vector>

#include "program/chunk_placement.hpp"
#include "program/waves.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc::program {

/// What one send and its receive do. The places at both ends are rows of `count` chunks.
struct Move {
  Rank src, dst;
  std::uint64_t leaves, arrives;  ///< times; what arrives at a time may be sent at that time
  Slot from, to;
  std::uint32_t count;
  bool combine;  ///< with what is at `to`
  std::uint32_t wave = 0;
  std::uint32_t channel = 0;
};

/// Throws InputError for problems of which there can be no program.
void refuse(const Source& source);

/// The runs of chunks that come to each rank, merged and ascending.
std::vector<std::vector<Run>> received(const Source& source);

/// In the order of the steps, each of one wave. Throws InputError where a rank has far more than
/// the format holds.
std::vector<Move> moves(const Source& source, const Machine& machine, const ChunkPlacement& places,
                        const Waves& waves);

/// Gives each move a channel: connections share one while the limits let them, and `lanes` times as
/// many share out the waves, and the chunks where there are fewer waves than lanes. Returns the
/// number of channels.
std::uint32_t assign_channels(std::vector<Move>& moves, Rank ranks, std::uint32_t lanes,
                              const Waves& waves);

}  // namespace schedcc::program
