#ifndef SCHEDCC_LOCAL_RING_HPP
#define SCHEDCC_LOCAL_RING_HPP

// The ring: in step t of the allgather rank v passes block v - t on to rank v + 1. Reversed it is
// the reduce-scatter, and both make the allreduce.
//
// Source: BL, "Very Large Message Broadcast"; CC, Recursive allreduce.

#include "local/base.hpp"

namespace schedcc::local {

class RingAllgather {
 public:
  RingAllgather(std::uint64_t P, std::uint64_t total) : P_(P), total_(total) {}

  std::uint64_t steps() const { return P_ - 1; }
  Place<RingAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    block(further(rank, 1, P_), total_, P_, back(rank, step, P_), 1, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = back(rank, 1, P_);
    block(from, total_, P_, back(from, step, P_), 1, f);
  }

 private:
  std::uint64_t P_, total_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_RING_HPP
