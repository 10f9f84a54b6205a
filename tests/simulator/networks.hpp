#pragma once

// Networks: fat trees, topologies, and meshes and tori, with the routes of messages.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

// ---- The fat tree: level 0 are the leaves, routers are numbered level by level, from left to
// right ----

std::uint64_t level(Rank node, Rank ranks);
Rank parent(Rank node, Rank ranks);
bool is_root(Rank node, Rank ranks);

// ---- Fat trees and topologies ----

/// What the link carries per step; nothing if the nodes are not neighbours.
std::optional<std::uint64_t> capacity(const Model& model, Rank from, Rank to, Rank ranks);

/// The links of the way from one rank to another; where there is no way, the one that is missing.
std::uint64_t links_between(const Model& model, Rank src, Rank dst, Rank ranks);

/// The nodes of a shortest way, and of those the one with the lowest node numbers. Without a way:
/// the ends of the link that would be needed.
std::vector<Rank> way(const Model::Graph& graph, Rank src, Rank dst);

/// The number of links from everywhere to everywhere, where there is a way: at first none but to
/// itself, then those with one link more, until nothing is new.
void measure(Model::Graph& graph);

// ---- Meshes and tori: along the row first, then along the column ----

/// The edges that a message crosses, in order.
std::vector<Message> edges(const Model::Grid& grid, Rank src, Rank dst);

}  // namespace naive
