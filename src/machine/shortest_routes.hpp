#pragma once

// Shortest routes in a network of directed links; where there are several, a route continues at
// every node to the neighbour with the lowest number.
//
// A route is searched for from both ends, which visits only the links near them: on a star two, for
// any number of ranks. For many sources with the same destination routes are looked up: as many
// destinations as fit into a fixed amount of memory, in the order of the first queries, get a table
// of the next node from every node.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "machine/entry_budget.hpp"
#include "machine/topology.hpp"

namespace schedcc {

class ShortestRoutes {
 public:
  /// Entries of all tables together, 4 bytes each.
  static constexpr std::uint64_t table_entries = std::uint64_t{1} << 24;

  /// Memory: by the nodes and links, and at most `entries` entries of tables. The topology outlives
  /// it; its links are by (from, to).
  explicit ShortestRoutes(const Topology& topology, std::uint64_t entries = table_entries);

  /// Appends the nodes of the route from `src` to `dst`, both included; only these two if there is
  /// no route. May be called by several threads at once.
  void append(Rank src, Rank dst, std::vector<Rank>& path) const;

 private:
  static constexpr Rank none = UINT32_MAX;

  /// The neighbours of each node in one direction, ascending.
  struct Neighbours {
    std::vector<std::uint32_t> begin;  ///< by node, with a sentinel at the end
    std::vector<Rank> nodes;

    std::uint64_t count(Rank v) const { return begin[v + std::size_t{1}] - begin[v]; }
  };

  /// A search from one end: the nodes within `depth` links of it.
  struct Search {
    std::vector<std::uint32_t> distance;  ///< by node; UINT32_MAX if not reached yet
    std::vector<Rank> previous;           ///< by node: one that is a link nearer to the end
    std::vector<Rank> queue;              ///< the nodes reached, by distance
    std::size_t frontier = 0;             ///< where in the queue those at `depth` begin
    std::uint32_t depth = 0;
    std::uint64_t links = 0;  ///< that the next step follows

    void start(Rank from, const Neighbours& neighbours);
    /// Goes one link further. The previous node is the first in the queue, or the lowest.
    void step(const Neighbours& neighbours, bool lowest);
    bool ended() const { return frontier == queue.size(); }
    /// The first in the queue at `depth` that the other search has reached, too; `none` if none is.
    Rank first_met(const Search& other) const;
    /// Clears the nodes reached.
    void clear();
  };

  std::vector<Rank> table(Rank dst) const;
  void search(Rank src, Rank dst, std::vector<Rank>& path) const;
  Rank meet() const;

  std::size_t nodes_;
  Neighbours out_, in_;
  mutable EntryBudget budget_;
  // Made at the first query of a route to the node, by the thread that queries.
  std::unique_ptr<std::once_flag[]> once_;
  mutable std::vector<std::vector<Rank>> next_;  ///< by destination: its table, or null
  mutable std::mutex searching_;                 ///< guards the two searches
  mutable Search ahead_, back_;
};

}  // namespace schedcc
