#ifndef SCHEDCC_LOCAL_TREES_HPP
#define SCHEDCC_LOCAL_TREES_HPP

// Trees in which a rank serves an interval of ranks and passes parts of it on.
//
// Source: BL, "Quick Example" and "Faster Trees?"; CC, "Binomial broadcast trees in a butterfly"
// and "(Reduce-)Scatter and (All)Gather in BSP".

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The root serves every rank itself: packet t / (P-1) goes to rank 1 + t mod (P-1) in step t.
class LinearBroadcast {
 public:
  LinearBroadcast(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return K_ * (P_ - 1); }
  RankSchedule<LinearBroadcast> at(std::uint64_t rank) const { return {*this, rank}; }

  struct StepData {
    std::uint64_t to, packet;
  };
  StepData step_data(std::uint64_t step) const {
    return {1 + serial_place(step, P_ - 1), serial_packet(step, P_ - 1)};
  }
  StepRange active_steps(std::uint64_t rank) const {
    if (rank == 0) return {0, steps(), 1};
    return {rank - 1, steps(), P_ - 1};
  }
  Ranks senders(const StepData&) const { return {0, 1}; }
  template <typename F>
  void sends(std::uint64_t, const StepData& data, F f) const {
    f(RankTransfer{data.to, data.packet, 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (rank == data.to) f(RankTransfer{0, data.packet, 1, false});
  }

 private:
  std::uint64_t P_, K_;
};

/// The root sends rank t + 1 its block of K chunks in step t.
class LinearScatter {
 public:
  LinearScatter(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return P_ - 1; }
  RankSchedule<LinearScatter> at(std::uint64_t rank) const { return {*this, rank}; }

  StepRange active_steps(std::uint64_t rank) const {
    if (rank == 0) return {0, P_ - 1, 1};
    return {rank - 1, rank, 1};
  }
  Ranks senders(std::uint64_t) const { return {0, 1}; }
  template <typename F>
  void sends(std::uint64_t, std::uint64_t step, F f) const {
    f(RankTransfer{step + 1, (step + 1) * K_, K_, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    if (rank == step + 1) f(RankTransfer{0, rank * K_, K_, false});
  }

 private:
  std::uint64_t P_, K_;
};

/// The k-nomial tree; k = 2 is the binomial one. A part of k^(l+1) ranks, starting with v, is cut
/// into k pieces of k^l; in the level's step j rank v sends to the first rank of piece j + 1. The
/// top level has only as many pieces as P needs. Packets follow one another.
class KnomialTree {
 public:
  KnomialTree(std::uint64_t P, std::uint64_t K, std::uint64_t k)
      : P_(P), K_(K), k_(std::min(k, std::max<std::uint64_t>(P, 2))) {
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
        if (others > 0) ranges.parts.push_back({begin, begin + others, 1});
      } else if (rank % piece == 0) {
        ranges.parts.push_back({begin + place - 1, begin + place, 1});
        holds = true;
      }
      begin += pieces;
      pieces = k_ - 1;
    }
    return {std::move(ranges), steps_each(), K_};
  }

  /// The senders, the first of each part of k pieces, and the distance.
  struct StepData {
    std::uint64_t packet, piece, distance;
  };
  StepData step_data(std::uint64_t step) const {
    std::uint64_t j = serial_place(step, steps_each()), piece = top_;
    for (std::uint64_t pieces = pieces_; j >= pieces; pieces = k_ - 1) {
      j -= pieces;
      piece /= k_;
    }
    return {serial_packet(step, steps_each()), piece, (j + 1) * piece};
  }
  Ranks senders(const StepData& data) const { return {0, P_ - data.distance, k_ * data.piece}; }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    f(RankTransfer{rank + data.distance, data.packet, 1, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (rank % (k_ * data.piece) == data.distance)
      f(RankTransfer{rank - data.distance, data.packet, 1, false});
  }

 private:
  std::uint64_t steps_each() const { return pieces_ + (k_ - 1) * below_; }

  std::uint64_t P_, K_, k_;
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
