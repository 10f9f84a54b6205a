#ifndef SCHEDCC_LOCAL_NEIGHBOR_HPP
#define SCHEDCC_LOCAL_NEIGHBOR_HPP

// Neighbour exchange: pairs of blocks between ranks that are next to one another, for even P.
//
// Source: Chen, Zhang, Zhang, Yuan 2005.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// In step 0 the ranks 2i and 2i + 1 exchange their blocks. Then every rank turns to its neighbour
/// on the other side, and back, in every step with the pair of blocks that it got in the last one.
class NeighborExchange {
 public:
  NeighborExchange(std::uint64_t P, std::uint64_t total) : blocks_{total, P} {}

  std::uint64_t steps() const { return blocks_.P / 2; }
  RankSchedule<NeighborExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    send(rank, partner(rank, step), step, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t from = partner(rank, step);
    send(from, from, step, f);
  }

 private:
  std::uint64_t moved(std::uint64_t rank, bool up, std::uint64_t distance) const {
    return up ? add_mod(rank, distance, blocks_.P) : sub_mod(rank, distance, blocks_.P);
  }
  /// Even ranks begin with the next rank, odd ones with the one before.
  std::uint64_t partner(std::uint64_t rank, std::uint64_t step) const {
    return moved(rank, (rank + step) % 2 == 0, 1);
  }
  template <typename F>
  void send(std::uint64_t sender, std::uint64_t peer, std::uint64_t step, F f) const {
    if (step == 0) return blocks_.send(peer, sender, 1, f);
    // Those of its own pair, then by turns from either side, two ranks further each time.
    const std::uint64_t last = step - 1, distance = last % 2 == 0 ? last : last + 1;
    const bool up = (sender + last) % 2 == 0;
    blocks_.send(peer, moved(sender - sender % 2, up, distance), 2, f);
  }

  Blocks blocks_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_NEIGHBOR_HPP
