#pragma once

// A schedule's transfers as moves from place to place, and their channels.

#include <cstdint>
#include <vector>

#include "program/chunk_placement.hpp"
#include "program/waves.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc::program {

/// A send and its receive. The places at both ends are ranges of `count` chunks.
struct SendReceive {
  Rank src, dst;
  std::uint64_t leaves, arrives;  ///< times; a chunk may be sent at the time at which it arrives
  Slot from, to;
  std::uint32_t count;
  bool combine;  ///< with the chunk at `to`
  std::uint32_t wave = 0;
  std::uint32_t channel = 0;
};

/// Throws InputError for problems that no program can solve.
void refuse(const Source& source);

/// The runs of chunks that each rank receives, merged and ascending.
std::vector<std::vector<Run>> received(const Source& source);

/// In the order of the steps, each of one wave. Throws InputError if a rank has far more than the
/// format holds.
std::vector<SendReceive> send_receives(const Source& source, const Machine& machine,
                                       const ChunkPlacement& places, const Waves& waves);

/// Gives each send and its receive a channel: connections share one while the limits allow it, and
/// `lanes` times as many divide the waves among them, or the chunks if there are fewer waves than
/// lanes. Returns the number of channels.
std::uint32_t assign_channels(std::vector<SendReceive>& send_receives, Rank ranks,
                              std::uint32_t lanes, const Waves& waves);

}  // namespace schedcc::program
