#pragma once

// Chunks that travel together: as many as a message may carry, with the same sources and goals.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The chunks of a problem in packets, one of which fills a message.
struct Packets {
  std::vector<Delivery> deliveries;        ///< of each packet, as of its chunks
  std::vector<std::vector<Chunk>> chunks;  ///< of each packet
};

/// Packets of at most `width` chunks.
Packets packets(const std::vector<Delivery>& chunks, std::uint64_t width);

/// May any rank send to any other in a step, as ports, and perhaps channels, permit?
bool reaches_all(const Instance& instance);

/// Can a schedule for packets be looked for rank by rank? On such machines, if a rank that sends
/// may receive as well.
bool takes_packets(const Instance& instance);

/// Can it, and has every rank one port each way?
bool takes_one_port(const Instance& instance);

/// Do all chunks go from one rank to all others?
bool is_broadcast(const Instance& instance, const std::vector<Delivery>& chunks);

/// Does every chunk that is wanted start at one rank and go to one other? So it is with alltoall,
/// scatter and gather.
bool has_single_goals(const std::vector<Delivery>& chunks);

/// A total exchange: as many packets from each rank to each other one.
struct TotalExchange {
  Packets packets;
  /// Numbers of packets, by the ranks between which they go.
  std::vector<std::vector<std::vector<std::size_t>>> between;
  std::uint64_t each;  ///< packets of each pair of ranks, at least one

  /// The chunks of packet `i` of those from a rank to another, i < each.
  const std::vector<Chunk>& chunks(Rank from, Rank to, std::uint64_t i) const {
    return packets.chunks[between[from][to][i]];
  }
};

/// The chunks as those of a total exchange on a machine with one port; none if they are not.
std::optional<TotalExchange> total_exchange(const Instance& instance,
                                            const std::vector<Delivery>& chunks);

/// The number of the arc from each node to each other one; 0 where there is none.
std::vector<std::vector<std::size_t>> arcs_by_ends(const Instance& instance);

/// The schedule whose step t has the transfers steps[t].
std::shared_ptr<const Schedule> schedule_of(const std::vector<Transfers>& steps);

/// The chunks that each message carries on such a machine.
std::uint64_t width(const Instance& instance);

}  // namespace schedcc::prover
