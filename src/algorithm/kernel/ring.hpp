#ifndef SCHEDCC_LOCAL_RING_HPP
#define SCHEDCC_LOCAL_RING_HPP

// The ring: in step t of the allgather rank v sends block v - t to rank v + 1. Reversed it is the
// reduce-scatter, and both in sequence are the allreduce.
//
// Source: BL, "Very Large Message Broadcast"; CC, Recursive allreduce.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The rank to which v sends, and the block that it sends in step t.
template <typename N>
constexpr N ring_next(N v, N P) {
  return add_mod(v, N(1), P);
}
template <typename N>
constexpr N ring_block(N v, N t, N P) {
  return sub_mod(v, t, P);
}

/// The steps in which rank v sends block v - t, or receives block v - 1 - t, and it is not empty.
struct RingSteps {
  Blocks blocks;
  std::uint64_t rank;

  std::uint64_t next(std::uint64_t step) const {
    const std::uint64_t P = blocks.P;
    if (step >= P - 1) return never;
    const std::uint64_t own = ring_block(rank, step, P);
    if (!blocks.empty(own)) return step;
    const std::uint64_t found = step + blocks.empty_down_from(sub_mod(own, 1, P));
    return found < P - 1 ? found : never;
  }
  std::uint64_t previous(std::uint64_t step) const {
    const std::uint64_t P = blocks.P;
    if (P == 1) return never;
    const std::uint64_t last = std::min(step, P - 2), own = ring_block(rank, last, P);
    if (!blocks.empty(sub_mod(own, 1, P))) return last;
    const std::uint64_t empty = blocks.empty_from(own);
    return empty <= last ? last - empty : never;
  }
};

/// The allgather of a vector of `total` chunks in P blocks, or in fewer, `parts`, one for each of
/// the first ranks, in which case active_steps must not be used.
class RingAllgather {
 public:
  RingAllgather(std::uint64_t P, std::uint64_t total) : RingAllgather(P, total, P) {}
  RingAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t parts)
      : P_(P), blocks_{total, parts} {}

  std::uint64_t steps() const { return P_ - 1; }
  RankSchedule<RingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }
  RingSteps active_steps(std::uint64_t rank) const { return {blocks_, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    pass(ring_next(rank, P_), ring_block(rank, step, P_), f);
  }
  /// Calls f for the ranks that send in a step, in ascending order: those whose block in it, v - t,
  /// has chunks.
  template <typename F>
  void each_sender(std::uint64_t step, F f) const {
    for (std::uint64_t rank = 0; rank < P_;) {
      const std::uint64_t block = ring_block(rank, step, P_);
      const std::uint64_t idle = block < blocks_.P ? blocks_.empty_from(block) : P_ - block;
      if (idle == 0) f(rank);
      rank += idle == 0 ? 1 : idle;
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = sub_mod(rank, 1, P_);
    pass(from, ring_block(from, step, P_), f);
  }

 private:
  template <typename F>
  void pass(std::uint64_t peer, std::uint64_t block, F f) const {
    if (block < blocks_.P) blocks_.send(peer, block, 1, f);
  }

  std::uint64_t P_;
  Blocks blocks_;
};

/// The allgather in f passes, each of a segment of every block: the last segments first, since the
/// reduction is the reverse. Blocks have at least f chunks.
class SegmentedRingAllgather {
 public:
  SegmentedRingAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t f)
      : blocks_{total, P}, f_(f) {}

  std::uint64_t steps() const { return f_ * (blocks_.P - 1); }
  RankSchedule<SegmentedRingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The segment, and the step of the ring.
  struct StepData {
    std::uint64_t segment, step;
  };
  StepData step_data(std::uint64_t step) const {
    const std::uint64_t once = blocks_.P - 1;
    return {f_ - 1 - step / once, step % once};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    pass(ring_next(rank, blocks_.P), rank, data, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    const auto from = sub_mod<std::uint64_t>(rank, 1, blocks_.P);
    pass(from, from, data, f);
  }

 private:
  template <typename F>
  void pass(std::uint64_t peer, std::uint64_t sender, const StepData& data, F f) const {
    const std::uint64_t block = ring_block(sender, data.step, blocks_.P);
    const std::uint64_t begin = blocks_.begin(block);
    const Blocks segments{blocks_.begin(block + 1) - begin, f_};
    segments.send(peer, data.segment, 1, [&](RankTransfer part) {
      part.first += begin;
      f(part);
    });
  }

  Blocks blocks_;
  std::uint64_t f_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_RING_HPP
