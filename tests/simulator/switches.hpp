#pragma once

// Switches that copy and combine: what the messages of a step count for on links and at ports, and
// what switches may do at hop level.

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// The chunks of a message, each with whether it is reduced.
using MessageContent = std::set<std::pair<Chunk, bool>>;

/// How many messages count on a link, as one of those that a rank sends, and as one that it
/// receives.
struct Counts {
  std::map<Message, std::uint64_t> links;
  std::map<Rank, std::size_t> sends, receives;
};

/// Of the messages of a step. `ordered`: nothing is combined.
Counts counts(const Model::Graph& graph, const std::map<Message, MessageContent>& messages,
              bool ordered);

/// Does a switch copy or combine that may not?
bool breaks_rules(const Model::Graph& graph, const std::vector<Sent>& hops, Rank ranks);

}  // namespace naive
