#ifndef SCHEDCC_LOCAL_TREES_HPP
#define SCHEDCC_LOCAL_TREES_HPP

// Trees in which a rank serves an interval of ranks and passes parts of it on.
//
// Source: BL, "Quick Example" and "Faster Trees?"; CC, "Binomial broadcast trees in a butterfly"
// and "(Reduce-)Scatter and (All)Gather in BSP".

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The ranks that a root with k ports serves in a step.
inline Ranks linear_receivers(std::uint64_t step, std::uint64_t k, std::uint64_t P) {
  return {1 + step * k, std::min(1 + step * k + k, P)};
}

/// The root serves every rank itself: packet t / (P-1) goes to rank 1 + t mod (P-1) in step t. With
/// several ports, k of the ranks are served in one step.
class LinearBroadcast {
 public:
  LinearBroadcast(std::uint64_t P, std::uint64_t K, std::uint64_t k = 1)
      : P_(P), K_(K), k_(k), each_(ceil_div(P - 1, k)) {}

  std::uint64_t steps() const { return K_ * each_; }
  RankSchedule<LinearBroadcast> at(std::uint64_t rank) const { return {*this, rank}; }

  struct StepData {
    Ranks to;
    std::uint64_t packet;
  };
  StepData step_data(std::uint64_t step) const {
    return {linear_receivers(serial_place(step, each_), k_, P_), serial_packet(step, each_)};
  }
  StepRange active_steps(std::uint64_t rank) const {
    if (rank == 0) return {0, steps(), 1};
    return {(rank - 1) / k_, steps(), each_};
  }
  Ranks senders(const StepData&) const { return {0, 1}; }
  template <typename F>
  void sends(std::uint64_t, const StepData& data, F f) const {
    for (std::uint64_t to = data.to.first; to < data.to.end; ++to)
      f(RankTransfer{to, data.packet, 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (data.to.contains(rank)) f(RankTransfer{0, data.packet, 1, false});
  }

 private:
  std::uint64_t P_, K_, k_, each_;
};

/// The root sends rank t + 1 its block of K chunks in step t; with several ports, k ranks theirs.
class LinearScatter {
 public:
  LinearScatter(std::uint64_t P, std::uint64_t K, std::uint64_t k = 1) : P_(P), K_(K), k_(k) {}

  std::uint64_t steps() const { return ceil_div(P_ - 1, k_); }
  RankSchedule<LinearScatter> at(std::uint64_t rank) const { return {*this, rank}; }

  StepRange active_steps(std::uint64_t rank) const {
    if (rank == 0) return {0, steps(), 1};
    return {(rank - 1) / k_, (rank - 1) / k_ + 1, 1};
  }
  Ranks step_data(std::uint64_t step) const { return linear_receivers(step, k_, P_); }
  Ranks senders(const Ranks&) const { return {0, 1}; }
  template <typename F>
  void sends(std::uint64_t, const Ranks& to, F f) const {
    for (std::uint64_t rank = to.first; rank < to.end; ++rank)
      f(RankTransfer{rank, rank * K_, K_, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const Ranks& to, F f) const {
    if (to.contains(rank)) f(RankTransfer{0, rank * K_, K_, false});
  }

 private:
  std::uint64_t P_, K_, k_;
};

/// The k-nomial tree; k = 2 is the binomial one. A part of k^(l+1) ranks, starting with v, is cut
/// into k pieces of k^l; in the level's step j rank v sends to the first rank of piece j + 1. The
/// top level has only as many pieces as P needs. Packets follow one another. With several ports,
/// so many of a level's steps are one.
class KnomialTree {
 public:
  KnomialTree(std::uint64_t P, std::uint64_t K, std::uint64_t k, std::uint64_t ports = 1)
      : P_(P), K_(K), k_(std::min(k, std::max<std::uint64_t>(P, 2))), ports_(ports) {
    for (; top_ < ceil_div(P, k_); top_ *= k_) ++below_;
    pieces_ = ceil_div(P, top_) - 1;
  }

  std::uint64_t steps() const { return K_ * steps_each(); }
  RankSchedule<KnomialTree> at(std::uint64_t rank) const { return {*this, rank}; }
  RepeatedSteps<StepRanges> active_steps(std::uint64_t rank) const {
    StepRanges ranges;
    std::uint64_t begin = 0, pieces = pieces_;
    bool holds = rank == 0;
    for (std::uint64_t piece = top_; piece > 0; piece /= k_) {
      const std::uint64_t place = rank / piece % k_;
      if (holds) {
        const std::uint64_t others = std::min(pieces, (P_ - 1 - rank) / piece);
        if (others > 0) ranges.parts.push_back({begin, begin + ceil_div(others, ports_), 1});
      } else if (rank % piece == 0) {
        const std::uint64_t step = begin + (place - 1) / ports_;
        ranges.parts.push_back({step, step + 1, 1});
        holds = true;
      }
      begin += ceil_div(pieces, ports_);
      pieces = k_ - 1;
    }
    return {std::move(ranges), steps_each(), K_};
  }

  /// The first of each part of k pieces sends to ranks at these distances, multiples of a piece.
  struct StepData {
    std::uint64_t packet, piece;
    Ranks distances;
  };
  StepData step_data(std::uint64_t step) const {
    std::uint64_t j = serial_place(step, steps_each()), piece = top_, pieces = pieces_;
    for (; j >= ceil_div(pieces, ports_); pieces = k_ - 1) {
      j -= ceil_div(pieces, ports_);
      piece /= k_;
    }
    const std::uint64_t last = std::min(j * ports_ + ports_, pieces);
    return {serial_packet(step, steps_each()),
            piece,
            {(j * ports_ + 1) * piece, last * piece + 1, piece}};
  }
  Ranks senders(const StepData& data) const {
    return {0, P_ - data.distances.first, k_ * data.piece};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    const std::uint64_t end = std::min(data.distances.end, P_ - rank);
    for (std::uint64_t d = data.distances.first; d < end; d += data.piece)
      f(RankTransfer{rank + d, data.packet, 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    const std::uint64_t distance = rank % (k_ * data.piece);
    if (data.distances.contains(distance)) f(RankTransfer{rank - distance, data.packet, 1, false});
  }

 private:
  std::uint64_t steps_each() const {
    return ceil_div(pieces_, ports_) + ceil_div(k_ - 1, ports_) * below_;
  }

  std::uint64_t P_, K_, k_, ports_;
  std::uint64_t top_ = 1, below_ = 0, pieces_ = 0;
};

/// A scatter of a vector of `total` chunks down a tree: a rank with the blocks of r^m ranks, its
/// own the first, sends r - 1 parts of r^(m-1) in a step, each to the part's first rank.
class TreeScatter {
 public:
  TreeScatter(std::uint64_t P, std::uint64_t total, std::uint64_t r)
      : P_(P), blocks_{total, P}, r_(r), steps_(ceil_log(r, P)) {}

  std::uint64_t steps() const { return steps_; }
  RankSchedule<TreeScatter> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The ranks of a part.
  std::uint64_t step_data(std::uint64_t step) const { return power(r_, steps_ - 1 - step); }
  Ranks senders(std::uint64_t part) const { return {0, P_ - part, r_ * part}; }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t part, F f) const {
    for (std::uint64_t i = 1; i < r_ && rank + i * part < P_; ++i) {
      i += blocks_.empty_from(rank + i * part) / part;  // parts without a chunk
      const std::uint64_t to = rank + i * part;
      if (i < r_) blocks_.send(to, to, std::min(part, P_ - to), f);
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t part, F f) const {
    const std::uint64_t distance = rank % (r_ * part);
    if (distance == 0 || distance % part != 0) return;
    blocks_.send(rank - distance, rank, std::min(part, P_ - rank), f);
  }

 private:
  std::uint64_t P_;
  Blocks blocks_;
  std::uint64_t r_, steps_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_TREES_HPP
