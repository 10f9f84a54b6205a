#ifndef SCHEDCC_LOCAL_SPLIT_BINARY_TREE_HPP
#define SCHEDCC_LOCAL_SPLIT_BINARY_TREE_HPP

// The split binary tree: odd ranks get the first half of the message down the half of a binary tree
// that is below rank 1, even ones the other half below rank 2; then neighbours exchange.
//
// Rank v of level l = floor(log2(v + 1)) has the children v + 2^l and v + 2 2^l, which it serves in
// this order. So the step in which it receives packet 0 is l - 1 and one for each second child on
// the path to it: the bits of its place in its level. The exchange begins after the last arrival,
// which is searched for among O(log P) ranks of the last two levels.
//
// Source: Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007, doi 10.1007/s10586-007-0012-0.

#include <bit>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

class SplitBinaryTree {
 public:
  SplitBinaryTree(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {
    for (std::uint64_t half = 0; half < 2; ++half) {
      const std::uint64_t n = packets(half);
      if (n == 0 || half + 1 >= P) continue;
      tree_steps_ = std::max(tree_steps_, latest(half) + 1 + period() * (n - 1));
    }
  }

  std::uint64_t steps() const { return tree_steps_ + (exchanges() ? 1 : 0); }
  std::uint64_t tree_steps() const { return tree_steps_; }
  /// From one packet of a half to the next.
  std::uint64_t period() const { return P_ == 2 ? 1 : 2; }
  /// The packets of half 0, of the ranks with odd numbers, and of half 1.
  std::uint64_t packets(std::uint64_t half) const { return half == 0 ? K_ - K_ / 2 : K_ / 2; }
  /// Is there something to exchange?
  bool exchanges() const { return P_ > 2 || (P_ == 2 && K_ > 1); }

  /// The step in which rank v >= 1 receives the first packet of its half.
  static std::uint64_t arrival(std::uint64_t v) {
    const std::uint64_t level = level_of(v), place = v + 1 - (std::uint64_t{1} << level);
    return level - 1 + static_cast<std::uint64_t>(std::popcount(place));
  }
  /// From which rank.
  static std::uint64_t parent(std::uint64_t v) {
    const std::uint64_t distance = std::bit_floor(v + 1) / 2, place = v + 1 - 2 * distance;
    return place < distance ? v - distance : v - 2 * distance;
  }
  /// What rank v >= 1 receives in the exchange: the other half, from its neighbour, or from rank 0
  /// if it has none.
  Flow exchanged(std::uint64_t v) const {
    const bool odd = v % 2 == 1;
    const std::uint64_t from = !odd ? v - 1 : v + 1 == P_ ? 0 : v + 1;
    return other_half(from, odd ? 1 : 0);
  }

  Flows at(std::uint64_t rank) const {
    Flows own;
    if (rank > 0) own.received.push_back(down(parent(rank), rank));
    const std::uint64_t distance = std::uint64_t{1} << level_of(rank);
    for (const std::uint64_t child : {rank + distance, rank + 2 * distance}) {
      if (child < P_) own.sent.push_back(down(child, child));
    }
    if (exchanges()) add_exchange(rank, own);
    return own;
  }

 private:
  static std::uint64_t level_of(std::uint64_t v) { return bit_width(v + 1) - 1; }

  /// Packets down the edge to v, with a peer.
  Flow down(std::uint64_t peer, std::uint64_t v) const {
    const std::uint64_t half = 1 - v % 2;
    return {peer, arrival(v), packets(half), period(), half == 0 ? 0 : packets(0)};
  }
  /// A half in one message.
  Flow other_half(std::uint64_t peer, std::uint64_t half) const {
    const std::uint64_t count = packets(half);
    return {peer, tree_steps_, count == 0 ? 0U : 1U, 1, half == 0 ? 0 : packets(0), 1, count};
  }
  void add_exchange(std::uint64_t rank, Flows& own) const {
    if (rank > 0) own.received.push_back(exchanged(rank));
    if (rank == 0 && P_ % 2 == 0) own.sent.push_back(other_half(P_ - 1, 1));
    if (rank == 0 || (rank % 2 == 1 && rank + 1 == P_)) return;
    const bool odd = rank % 2 == 1;
    own.sent.push_back(other_half(odd ? rank + 1 : rank - 1, odd ? 0 : 1));
  }

  /// The latest arrival in a half; 0 if it is empty, which is that of rank 1, too.
  std::uint64_t latest(std::uint64_t half) const {
    std::uint64_t result = 0;
    // In the last level some places are left out: the most bits are set in the last one, or in one
    // that has a 0 for one of its bits and ones below.
    for (std::uint64_t last : {P_ - 1, std::bit_floor(P_) - 2}) {
      if (last % 2 == half && last > 0) --last;
      if (last == 0 || last >= P_) continue;
      const std::uint64_t level = level_of(last);
      const std::uint64_t first = (std::uint64_t{1} << level) - 1, place = last - first;
      result = std::max(result, arrival(last));
      for (std::uint64_t bit = 1; bit < level; ++bit) {
        if ((place >> bit & 1) == 0) continue;
        const std::uint64_t ones = (std::uint64_t{1} << bit) - 1;
        const std::uint64_t other = (place >> (bit + 1) << (bit + 1)) | ones;
        std::uint64_t v = first + other;
        if (v % 2 == half) --v;
        if (v > 0) result = std::max(result, arrival(v));
      }
    }
    return result;
  }

  std::uint64_t P_, K_;
  std::uint64_t tree_steps_ = 0;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SPLIT_BINARY_TREE_HPP
