#pragma once

// One step of copies between any ranks, from numbers: which ranks send and receive each packet.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/solve/dice.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A message with one packet.
struct PacketMessage {
  Rank from, to;
  std::size_t packet;
};

/// Numbers of receptions, of something in a step.
struct Receptions {
  std::uint64_t least = 0, most = 0;
};

/// What the ranks hold when a step begins, and what it has to do.
struct StepDemand {
  std::uint64_t ports;                        ///< of each rank, each way
  const std::vector<std::vector<bool>>& has;  ///< by packet and rank
  std::vector<Receptions> packets, ranks;
};

/// The ranks that send and that receive a packet, as many of either; a rank that sends it several
/// times is there as often.
struct PacketEnds {
  std::vector<Rank> senders, receivers;
};

/// The ends of the messages of one step, by packet: as many messages as possible, chosen at random
/// otherwise. None if the demand cannot be met.
std::optional<std::vector<PacketEnds>> step_flow(const StepDemand& demand, Dice& dice);

/// Pairs of these ends, no two of which are the same. None if none are found.
std::optional<std::vector<PacketMessage>> pair_ends(const std::vector<PacketEnds>& ends,
                                                    std::size_t ranks);

}  // namespace schedcc::prover
