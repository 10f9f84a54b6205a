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
  Place<DoublingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t bit = std::uint64_t{1} << step;
    blocks_.send(rank ^ bit, rank & ~(bit - 1), bit, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t bit = std::uint64_t{1} << step, from = rank ^ bit;
    blocks_.send(from, from & ~(bit - 1), bit, f);
  }

 private:
  Blocks blocks_;
};

/// The same from the highest bit down: rank v has every P/2^i-th block. Its reverse combines what
/// belongs to aligned intervals of ranks.
class DoublingFromAfar {
 public:
  DoublingFromAfar(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  Place<DoublingFromAfar> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    blocks_of(rank, rank ^ (P_ >> step) / 2, step, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = rank ^ (P_ >> step) / 2;
    blocks_of(from, from, step, f);
  }

 private:
  template <typename F>
  void blocks_of(std::uint64_t holder, std::uint64_t peer, std::uint64_t step, F f) const {
    const std::uint64_t stride = P_ >> step;
    for (std::uint64_t b = holder % stride; b < P_; b += stride) f(Part{peer, b * K_, K_, false});
  }

  std::uint64_t P_, K_;
};

/// The allreduce in which partners exchange everything that they have.
class DoublingAllreduce {
 public:
  DoublingAllreduce(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t steps() const { return ceil_log(2, P_); }
  Place<DoublingAllreduce> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    f(Part{rank ^ std::uint64_t{1} << step, 0, K_, true});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    sends(rank, step, f);
  }

 private:
  std::uint64_t P_, K_;
};

/// A schedule among P = 2^h ranks whose numbers have their bits reversed.
template <typename Kernel>
class BitsReversed {
 public:
  BitsReversed(Kernel kernel, std::uint64_t P) : kernel_(std::move(kernel)), h_(ceil_log(2, P)) {}

  std::uint64_t steps() const { return kernel_.steps(); }
  Place<BitsReversed> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    kernel_.sends(reversed(rank), step, [&](const Part& p) { f(renamed(p)); });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    kernel_.receives(reversed(rank), step, [&](const Part& p) { f(renamed(p)); });
  }

 private:
  std::uint64_t reversed(std::uint64_t rank) const {
    std::uint64_t result = 0;
    for (std::uint64_t i = 0; i < h_; ++i) result |= (rank >> i & 1) << (h_ - 1 - i);
    return result;
  }
  Part renamed(Part part) const {
    part.peer = reversed(part.peer);
    return part;
  }

  Kernel kernel_;
  std::uint64_t h_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_DOUBLING_HPP
