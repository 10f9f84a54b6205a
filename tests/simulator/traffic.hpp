#pragma once

// The limits of a machine on the messages of a step: its ports, the cycles of LogP, and the links
// of its network.

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// The messages by step, each with its number of chunks.
using Messages = std::map<std::uint64_t, std::map<Message, std::uint64_t>>;
Messages messages(const std::vector<Sent>& sent);

/// The channels of a cluster that a message takes, each by a name of its own, with what it carries
/// in a step. `needless`: those too that cannot be too full if the others are not.
std::map<std::vector<std::uint64_t>, std::uint64_t> cluster_channels(const Model::Cluster& cluster,
                                                                     const Message& message,
                                                                     bool needless);

/// The lowest level with a group that has both ranks.
std::size_t cluster_level(const Model::Cluster& cluster, const Message& message);

struct Traffic {
  Rank ranks;
  Messages messages;
  std::vector<Sent> sent;  ///< what these messages consist of
  std::vector<Sent> hops;  ///< on routed machines: one link each
  std::map<std::uint64_t, std::uint32_t> rounds;
  bool ordered;
};

/// The checks `ports` and `links`, as far as they apply to the model, and the congestion.
void carry(const Traffic& traffic, const Model& model, Outcome& out);

}  // namespace naive
