#pragma once

// Links from rank to rank in place of links to switches.
//
// A link (u, w) into a switch and a link (w, t) out of it become one from u to t, of the same
// capacity. That keeps all cuts but those with w on one side and u and t on the other, each of
// which loses the capacity moved. So if after a move of d the flow from the source to some rank is
// short of what it needs by e, then d - e is the most that can be moved. In a graph whose nodes
// have equal capacities in and out, some link into w can always be moved with each link out of it
// (Jackson 1988), until w is isolated. A link from a rank to itself is dropped.
//
// From a rank the ranks after it are tried first, and as much as possible is moved at once: ranks
// at a switch get a ring of few wide links, rather than many narrow ones.
//
// Source: Zhao et al., "ForestColl" (arXiv 2402.06787), section 5.2; Jackson, "Some Remarks on
// Arc-connectivity, Vertex Splitting, and Orientation in Graphs and Digraphs" (1988); Bang-Jensen,
// Frank, Jackson (1995).

#include <cstdint>
#include <span>
#include <vector>

#include "machine/link_graph.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// A link from rank to rank, through switches.
struct SwitchedLink {
  Rank from, to;
  std::uint64_t capacity;
  std::vector<Rank> switches;  ///< on the way, in their order
};

/// The links of the graph without its switches, over which every rank still gets k from each of
/// `sources`. Capacities into and out of a node are equal. Throws InternalError if that cannot be.
std::vector<SwitchedLink> without_switches(const LinkGraph& graph, std::span<const Rank> sources,
                                           std::uint64_t k);

}  // namespace schedcc
