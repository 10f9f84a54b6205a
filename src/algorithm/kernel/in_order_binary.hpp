#ifndef SCHEDCC_LOCAL_IN_ORDER_BINARY_HPP
#define SCHEDCC_LOCAL_IN_ORDER_BINARY_HPP

// The in-order binary tree, in post-order: of the ranks lo .. lo + s - 1 the last is the root,
// below it are the first floor(s/2) ranks and those between. A rank walks down from the root to
// itself.
//
// Source: Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007, doi 10.1007/s10586-007-0012-0.

#include <utility>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// The tree over the ranks lo .. lo + s - 1, s >= 1, whose root has packet 0 when step `time` of a
/// broadcast begins.
struct PostOrderTree {
  std::uint64_t lo, s, time;

  std::uint64_t root() const { return lo + s - 1; }
  /// The part that the root serves first, and the one that it serves in the next step; they may
  /// have no ranks.
  PostOrderTree right() const { return {lo, s / 2, time + 1}; }
  PostOrderTree left() const { return {lo + s / 2, s - 1 - s / 2, time + 2}; }
};

/// The broadcast of K packets from rank P - 1: the reverse of the reduction.
class InOrderBroadcast {
 public:
  InOrderBroadcast(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  std::uint64_t packets() const { return K_; }
  std::uint64_t period() const { return P_ == 2 ? 1 : 2; }
  std::uint64_t steps() const { return P_ == 1 ? 0 : depths(P_).first + period() * (K_ - 1); }

  Flows at(std::uint64_t rank) const {
    Flows own;
    PostOrderTree tree{0, P_, 0};
    std::uint64_t parent = P_;
    while (tree.root() != rank) {
      parent = tree.root();
      tree = rank < tree.lo + tree.s / 2 ? tree.right() : tree.left();
    }
    if (parent < P_) own.received.push_back(down(parent, tree));
    for (const PostOrderTree& part : {tree.right(), tree.left()}) {
      if (part.s > 0) own.sent.push_back(down(part.root(), part));
    }
    return own;
  }

 private:
  /// The packets to the root of a tree.
  Flow down(std::uint64_t peer, const PostOrderTree& tree) const {
    return {peer, tree.time - 1, K_, period()};
  }

  /// The steps of a packet through the trees of s and of s - 1 ranks, where the left part is served
  /// a step later. Both have parts of s / 2 and of s / 2 - 1 ranks only.
  static std::pair<std::uint64_t, std::uint64_t> depths(std::uint64_t s) {
    if (s <= 1) return {0, 0};
    const auto [half, less] = depths(s / 2);
    const auto depth = [&, half = half, less = less](std::uint64_t n) -> std::uint64_t {
      if (n == 1) return 0;
      const std::uint64_t right = n / 2, left = n - 1 - right;
      const auto part = [&](std::uint64_t size) { return size == s / 2 ? half : less; };
      return left == 0 ? 1 + part(right) : std::max(1 + part(right), 2 + part(left));
    };
    return {depth(s), depth(s - 1)};
  }

  std::uint64_t P_, K_;
};

/// One message of K chunks, in a step of its own; no step if it would be to the sender.
class OneMessage {
 public:
  OneMessage(std::uint64_t from, std::uint64_t to, std::uint64_t K) : from_(from), to_(to), K_(K) {}

  std::uint64_t steps() const { return from_ == to_ ? 0 : 1; }
  RankSchedule<OneMessage> at(std::uint64_t rank) const { return {*this, rank}; }

  Ranks senders(std::uint64_t) const { return {from_, from_ + steps()}; }
  StepRange active_steps(std::uint64_t rank) const {
    return {0, rank == from_ || rank == to_ ? steps() : 0};
  }
  template <typename F>
  void sends(std::uint64_t /*rank*/, std::uint64_t /*step*/, F f) const {
    f(RankTransfer{to_, 0, K_, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t /*step*/, F f) const {
    if (rank == to_ && from_ != to_) f(RankTransfer{from_, 0, K_, false});
  }

 private:
  std::uint64_t from_, to_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_IN_ORDER_BINARY_HPP
