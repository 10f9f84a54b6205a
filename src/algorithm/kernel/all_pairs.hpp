#ifndef SCHEDCC_LOCAL_ALL_PAIRS_HPP
#define SCHEDCC_LOCAL_ALL_PAIRS_HPP

// Every rank sends to all others: in step t with k ports rank v to the ranks v + kt + 1 .. v + kt +
// k.
//
// Source: Cowan et al. 2023, doi 10.1145/3575693.3575724 (allpairs).

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The number of ports that can be used: at most P - 1.
inline std::uint64_t usable_ports(std::uint64_t ports, std::uint64_t P) {
  return std::min(ports, std::max<std::uint64_t>(1, P - 1));
}

/// The steps in which rank v sends its block, if it has one, or receives the block of rank
/// v - d for one of the step's distances, and it is not empty.
struct AllPairsSteps {
  Blocks blocks;
  std::uint64_t k, rank;

  std::uint64_t steps() const { return ceil_div(blocks.P - 1, k); }
  std::uint64_t next(std::uint64_t step) const {
    if (step >= steps()) return never;
    if (!blocks.empty(rank)) return step;
    const std::uint64_t distance = k * step + 1;
    const std::uint64_t found =
        distance + blocks.empty_down_from(sub_mod(rank, distance, blocks.P));
    return found < blocks.P ? (found - 1) / k : never;
  }
  std::uint64_t previous(std::uint64_t step) const {
    if (blocks.P == 1) return never;
    const std::uint64_t last = std::min(step, steps() - 1);
    if (!blocks.empty(rank)) return last;
    const std::uint64_t distance = std::min(k * last + k, blocks.P - 1);
    const std::uint64_t empty = blocks.empty_from(sub_mod(rank, distance, blocks.P));
    return empty < distance ? (distance - empty - 1) / k : never;
  }
};

/// The allgather of a vector of `total` chunks that is cut into P blocks.
class AllPairs {
 public:
  AllPairs(std::uint64_t P, std::uint64_t total, std::uint64_t ports)
      : blocks_{total, P}, k_(usable_ports(ports, P)) {}

  std::uint64_t steps() const { return ceil_div(blocks_.P - 1, k_); }
  RankSchedule<AllPairs> at(std::uint64_t rank) const { return {*this, rank}; }
  AllPairsSteps active_steps(std::uint64_t rank) const { return {blocks_, k_, rank}; }

  /// The distances of a step.
  struct StepData {
    std::uint64_t nearest, furthest;
  };
  StepData step_data(std::uint64_t step) const {
    return {k_ * step + 1, std::min(k_ * step + k_, blocks_.P - 1)};
  }
  /// Are there ranks that have nothing to send? And how many, from one on?
  bool has_idle() const { return blocks_.total < blocks_.P; }
  std::uint64_t idle_from(std::uint64_t rank) const { return blocks_.empty_from(rank); }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    blocks_.send(rank, rank, 1, [&](RankTransfer part) {
      for (std::uint64_t distance = data.nearest; distance <= data.furthest; ++distance) {
        part.peer = add_mod(rank, distance, blocks_.P);
        f(part);
      }
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    for (std::uint64_t distance = data.nearest; distance <= data.furthest; ++distance) {
      distance += blocks_.empty_down_from(sub_mod(rank, distance, blocks_.P));
      if (distance > data.furthest) return;
      const std::uint64_t from = sub_mod(rank, distance, blocks_.P);
      blocks_.send(from, from, 1, f);
    }
  }

 private:
  Blocks blocks_;
  std::uint64_t k_;
};

/// The allreduce in one step: every rank sends K chunks, the whole vector, to all others.
class WholeToAll {
 public:
  WholeToAll(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return P_ == 1 ? 0 : 1; }
  RankSchedule<WholeToAll> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t /*step*/, F f) const {
    for (std::uint64_t distance = 1; distance < P_; ++distance)
      f(RankTransfer{add_mod(rank, distance, P_), 0, K_, true});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    sends(rank, step, f);
  }

 private:
  std::uint64_t P_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_ALL_PAIRS_HPP
