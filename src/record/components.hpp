#pragma once

// The strongly connected components of a graph: messages that have to be in one step, as each is
// not to come after another one of them. R. Tarjan, Depth-first search and linear graph algorithms,
// 1972.

#include <cstdint>
#include <vector>

namespace schedcc::record {

/// The component of each node, numbered from 0; `after[i]` are the nodes that node i has edges to.
std::vector<std::uint32_t> components(const std::vector<std::vector<std::uint32_t>>& after);

}  // namespace schedcc::record
