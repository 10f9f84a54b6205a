#ifndef SCHEDCC_LOCAL_PAT_HPP
#define SCHEDCC_LOCAL_PAT_HPP

// Trees that are the same for all ranks up to a rotation, of which a step serves an edge or several
// for all of them at once: PAT and Sparbit.
//
// Source: Jeaugey 2025, arXiv 2506.20252 (PAT); Loch, Koslovski 2021, arXiv 2109.08751 (Sparbit).

#include <bit>

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// A step in which every rank sends `count` blocks over a distance: those whose own rank is `first`
/// and `stride`, 2 `stride`, ... before or after it.
struct TreeStep {
  std::uint64_t distance, first, stride, count;
};

/// Q / 2 for the least power of two Q >= P: the largest aggregation; 1 for P = 1.
inline std::uint64_t max_aggregation(std::uint64_t P) {
  return P <= 2 ? 1 : std::uint64_t{1} << (ceil_log(2, P) - 1);
}

/// An allgather of which `Rule::step_data(step)` gives the steps. `upwards`: blocks travel to
/// higher ranks, and those of a step are the ones of lower ranks; else the reverse.
template <typename Rule, bool upwards>
class RotatedTrees {
 public:
  RankSchedule<Rule> at(std::uint64_t rank) const {
    return {static_cast<const Rule&>(*this), rank};
  }

  template <typename F>
  void sends(std::uint64_t rank, const TreeStep& data, F f) const {
    send(rank, moved<upwards>(rank, data.distance), data, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const TreeStep& data, F f) const {
    const std::uint64_t from = moved<!upwards>(rank, data.distance);
    send(from, from, data, f);
  }

 protected:
  RotatedTrees(std::uint64_t P, std::uint64_t total) : blocks_{total, P} {}

  Blocks blocks_;

 private:
  template <bool up>
  std::uint64_t moved(std::uint64_t rank, std::uint64_t distance) const {
    return up ? add_mod(rank, distance, blocks_.P) : sub_mod(rank, distance, blocks_.P);
  }
  template <typename F>
  void send(std::uint64_t sender, std::uint64_t peer, const TreeStep& data, F f) const {
    for (std::uint64_t i = 0; i < data.count; ++i)
      blocks_.send(peer, moved<!upwards>(sender, data.first + i * data.stride), 1, f);
  }
};

/// PAT's allgather with aggregation A, a power of two: rank v gets the block of rank v + s from
/// rank v + l, l the lowest bit of s. A steps of the upper levels serve A/2, A/4, ..., 1 subtrees,
/// then each step the edges at one place in all A subtrees of D = Q/A ranks.
class PatAllgather : public RotatedTrees<PatAllgather, false> {
 public:
  PatAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t A)
      : RotatedTrees(P, total), A_(std::min(A, max_aggregation(P))) {
    D_ = P == 1 ? 1 : 2 * max_aggregation(P) / A_;
  }

  std::uint64_t steps() const { return upper() + std::min(D_ - 1, blocks_.P - 1); }

  TreeStep step_data(std::uint64_t step) const {
    const std::uint64_t P = blocks_.P;
    if (step < upper()) {
      const std::uint64_t distance = (A_ >> (step + 1)) * D_;
      return {distance, 0, 2 * distance, ((P - 1) / distance + 1) / 2};
    }
    const std::uint64_t q = step - upper() + 1, lowest = q & (~q + 1);
    return {lowest, q - lowest, D_, (P - 1 - q) / D_ + 1};
  }

 private:
  std::uint64_t upper() const { return static_cast<std::uint64_t>(std::countr_zero(A_)); }

  std::uint64_t A_, D_;
};

/// Sparbit: over the distances d = 2^(lg-1), ..., 2, 1 rank v sends to v + d its own block and
/// those of the ranks 2d, 4d, ... before it.
class Sparbit : public RotatedTrees<Sparbit, true> {
 public:
  Sparbit(std::uint64_t P, std::uint64_t total) : RotatedTrees(P, total) {}

  std::uint64_t steps() const { return ceil_log(2, blocks_.P); }

  TreeStep step_data(std::uint64_t step) const {
    const std::uint64_t distance = std::uint64_t{1} << (steps() - 1 - step);
    return {distance, 0, 2 * distance, ceil_div(blocks_.P, distance) / 2};
  }
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_PAT_HPP
