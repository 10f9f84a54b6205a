#pragma once

// Ways on which chunks go from one rank to one other, where every message has a price.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/saturating.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

/// The number of chunks from each node to each other one.
using Demand = std::vector<std::vector<std::uint64_t>>;

/// That of chunks for one rank each (has_single_goals).
inline Demand demand(const Instance& instance, const std::vector<Delivery>& chunks) {
  Demand result(instance.nodes, std::vector<std::uint64_t>(instance.nodes));
  for (const Delivery& chunk : chunks) {
    if (!chunk.goals.empty()) ++result[chunk.sources.front()][chunk.goals.front()];
  }
  return result;
}

/// Ways between nodes that are cheapest by the prices of their messages.
template <typename Price>
class CheapestWays {
 public:
  /// `price` is that of each arc. There must be a way for all that is demanded.
  CheapestWays(const Instance& instance, const std::vector<Price>& price)
      : arcs_(instance.arcs),
        cost_(instance.nodes, std::vector<Price>(instance.nodes, unreachable)),
        last_(arcs_by_ends(instance)) {
    for (Rank v = 0; v < instance.nodes; ++v) cost_[v][v] = 0;
    for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
      cost_[instance.arcs[a].from][instance.arcs[a].to] = price[a];
    }
    for (Rank by = 0; by < instance.nodes; ++by) {
      for (Rank u = 0; u < instance.nodes; ++u) {
        for (Rank v = 0; v < instance.nodes; ++v) {
          if (u == v || cost_[u][v] <= cost_[u][by] + cost_[by][v]) continue;
          cost_[u][v] = cost_[u][by] + cost_[by][v];
          last_[u][v] = last_[by][v];
        }
      }
    }
  }

  /// What all chunks cost.
  Saturating cost(const Demand& demand) const {
    Saturating result = 0;
    for (Rank from = 0; from < demand.size(); ++from) {
      for (Rank to = 0; to < demand.size(); ++to) {
        result += Saturating(demand[from][to]) * cost_[from][to];
      }
    }
    return result;
  }

  /// Calls `use` with each arc of each way, and the number of its chunks.
  template <typename Use>
  void for_each_message(const Demand& demand, const Use& use) const {
    for (Rank from = 0; from < demand.size(); ++from) {
      for (Rank to = 0; to < demand.size(); ++to) {
        for (Rank at = to; demand[from][to] > 0 && at != from;) {
          use(last_[from][at], demand[from][to]);
          at = arcs_[last_[from][at]].from;
        }
      }
    }
  }

 private:
  static constexpr Price unreachable = std::numeric_limits<Price>::max() / 4;

  std::span<const Arc> arcs_;
  std::vector<std::vector<Price>> cost_;
  std::vector<std::vector<std::size_t>> last_;  ///< the last arc of the way
};

}  // namespace schedcc::prover
