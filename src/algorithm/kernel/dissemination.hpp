#ifndef SCHEDCC_LOCAL_DISSEMINATION_HPP
#define SCHEDCC_LOCAL_DISSEMINATION_HPP

// The dissemination barrier: every rank passes on all that it has heard of.
//
// Source: Hensgen, Finkel, Manber 1988, "Two algorithms for barrier synchronization".

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// In step i rank r sends the tokens that it has to the ranks r + j k^i, 0 < j < k, j k^i < P: its
/// own and those of the k^i - 1 ranks before it, or all of them.
class Dissemination {
 public:
  Dissemination(std::uint64_t P, std::uint64_t total, std::uint64_t k)
      : blocks_{total, P}, k_(std::max<std::uint64_t>(std::min(k, P), 2)) {}

  std::uint64_t steps() const { return ceil_log(k_, blocks_.P); }
  RankSchedule<Dissemination> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The distance k^i.
  std::uint64_t step_data(std::uint64_t step) const { return power(k_, step); }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t unit, F f) const {
    each_distance(unit, [&](std::uint64_t distance) {
      send(rank, add_mod(rank, distance, blocks_.P), unit, f);
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t unit, F f) const {
    each_distance(unit, [&](std::uint64_t distance) {
      const std::uint64_t from = sub_mod(rank, distance, blocks_.P);
      send(from, from, unit, f);
    });
  }

 private:
  template <typename G>
  void each_distance(std::uint64_t unit, G g) const {
    for (std::uint64_t j = 1; j < k_ && j <= (blocks_.P - 1) / unit; ++j) g(j * unit);
  }
  /// The tokens of `unit` < P ranks up to the sender, which may begin before rank 0.
  template <typename F>
  void send(std::uint64_t sender, std::uint64_t peer, std::uint64_t unit, F f) const {
    const std::uint64_t low = std::min(unit, sender + 1);
    blocks_.send(peer, sender + 1 - low, low, f);
    blocks_.send(peer, blocks_.P - (unit - low), unit - low, f);
  }

  Blocks blocks_;
  std::uint64_t k_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_DISSEMINATION_HPP
