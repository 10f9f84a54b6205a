#pragma once

// The routes of a topology as links.
//
// Schedules send along the same routes again and again, and tuning reads thousands of schedules. So
// each route is kept when it has been found. Those of a source are together, in the order of the
// first queries: where all messages of a step go equally far, they are read nearly in order.

#include <cstdint>
#include <mutex>
#include <vector>

#include "machine/entry_budget.hpp"
#include "machine/link_index.hpp"
#include "machine/shortest_routes.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class LinkRoutes {
 public:
  /// Entries of all places and links that are kept, 4 bytes each.
  static constexpr std::uint64_t kept_entries = std::uint64_t{1} << 24;

  /// Routes are kept as long as `entries` last. The topology outlives it.
  explicit LinkRoutes(const Topology& topology, std::uint64_t entries = kept_entries)
      : index_(topology), routes_(topology), budget_(entries), kept_(topology.ranks) {}

  /// Appends the numbers of the links from rank `src` to rank `dst`, in order, each as one run.
  /// There is a route. May be called by several threads at once. Throws InternalError if a link is
  /// missing.
  void append(Rank src, Rank dst, std::vector<Channels::Run>& runs) const;

 private:
  /// The routes from a source.
  struct Kept {
    std::mutex mutex;
    /// By destination: where the links of its route begin; 0 if it is not kept. Empty if none are.
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> links;  ///< the number of links of a route, these, and so on
  };

  void find(Rank src, Rank dst, std::vector<std::uint32_t>& links) const;

  LinkIndex index_;
  ShortestRoutes routes_;
  mutable EntryBudget budget_;
  mutable std::vector<Kept> kept_;  ///< by source
};

}  // namespace schedcc
