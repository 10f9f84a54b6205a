#ifndef SCHEDCC_LOCAL_DOUBLING_HPP
#define SCHEDCC_LOCAL_DOUBLING_HPP

// Exchanges along the dimensions of a hypercube, P = 2^h: in step i partners differ in one bit.
//
// Source: CC, Recursive allreduce.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// Recursive doubling: before step i rank v has the blocks of the 2^i ranks that differ from it in
/// the lowest i bits only, an interval, and v xor 2^i has the neighbouring one.
class DoublingAllgather {
 public:
  DoublingAllgather(std::uint64_t P, std::uint64_t total) : blocks_{total, P} {}

  std::uint64_t steps() const { return ceil_log(2, blocks_.P); }
  RankSchedule<DoublingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The bit in which partners differ.
  std::uint64_t step_data(std::uint64_t step) const { return std::uint64_t{1} << step; }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t bit, F f) const {
    blocks_.send(rank ^ bit, rank & ~(bit - 1), bit, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t bit, F f) const {
    const std::uint64_t from = rank ^ bit;
    blocks_.send(from, from & ~(bit - 1), bit, f);
  }

 private:
  Blocks blocks_;
};

/// The same from the highest bit down: rank v has every P/2^i-th block. Its reverse combines the
/// contributions of aligned intervals of ranks.
class DoublingHighestFirst {
 public:
  DoublingHighestFirst(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  RankSchedule<DoublingHighestFirst> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The distance of the blocks that a rank has.
  std::uint64_t step_data(std::uint64_t step) const { return P_ >> step; }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t stride, F f) const {
    blocks_of(rank, rank ^ stride / 2, stride, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t stride, F f) const {
    const std::uint64_t from = rank ^ stride / 2;
    blocks_of(from, from, stride, f);
  }

 private:
  template <typename F>
  void blocks_of(std::uint64_t holder, std::uint64_t peer, std::uint64_t stride, F f) const {
    for (std::uint64_t b = holder % stride; b < P_; b += stride)
      f(RankTransfer{peer, b * K_, K_, false});
  }

  std::uint64_t P_, K_;
};

/// The allreduce in which partners exchange their whole sums.
class DoublingAllreduce {
 public:
  DoublingAllreduce(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  RankSchedule<DoublingAllreduce> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    f(RankTransfer{rank ^ std::uint64_t{1} << step, 0, K_, true});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    sends(rank, step, f);
  }

 private:
  std::uint64_t P_, K_;
};

/// The bits of v < 2^h in reversed order.
inline std::uint64_t reversed_bits(std::uint64_t v, std::uint64_t h) {
  if (h == 0) return 0;
  v = (v & 0x5555555555555555) << 1 | (v >> 1 & 0x5555555555555555);
  v = (v & 0x3333333333333333) << 2 | (v >> 2 & 0x3333333333333333);
  v = (v & 0x0f0f0f0f0f0f0f0f) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0f);
  v = (v & 0x00ff00ff00ff00ff) << 8 | (v >> 8 & 0x00ff00ff00ff00ff);
  v = (v & 0x0000ffff0000ffff) << 16 | (v >> 16 & 0x0000ffff0000ffff);
  return (v << 32 | v >> 32) >> (64 - h);
}

/// A schedule among P = 2^h ranks whose numbers have their bits reversed.
template <typename Kernel>
class BitsReversed {
 public:
  BitsReversed(Kernel kernel, std::uint64_t P) : kernel_(std::move(kernel)), h_(ceil_log(2, P)) {}

  std::uint64_t steps() const { return kernel_.steps(); }
  const Kernel& inner() const { return kernel_; }
  /// Gives the number of the rank that is number v of the inner schedule.
  auto renaming() const {
    return [h = h_](std::uint64_t v) { return reversed_bits(v, h); };
  }

  struct RankSchedule {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t h;

    auto active_steps() const { return inner.active_steps(); }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.sends(step, [&](RankTransfer part) {
        part.peer = reversed_bits(part.peer, h);
        f(part);
      });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      inner.receives(step, [&](RankTransfer part) {
        part.peer = reversed_bits(part.peer, h);
        f(part);
      });
    }
  };
  RankSchedule at(std::uint64_t rank) const { return {kernel_.at(reversed_bits(rank, h_)), h_}; }

 private:
  Kernel kernel_;
  std::uint64_t h_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_DOUBLING_HPP
