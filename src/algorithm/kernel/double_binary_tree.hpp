#ifndef SCHEDCC_LOCAL_DOUBLE_BINARY_TREE_HPP
#define SCHEDCC_LOCAL_DOUBLE_BINARY_TREE_HPP

// NCCL's double binary tree: parents and children by the lowest bit of a rank's number.
//
// The depth of a number is found by a walk to the root, in O(log P), and all times follow from it.
//
// Source: NCCL, src/graph/trees.cc; Sanders, Speck, Träff 2009.

#include <bit>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// One of the two trees, tree 0 or 1, over P >= 2 ranks by their numbers in the first tree.
class NumberedTree {
 public:
  NumberedTree(std::uint64_t P, std::uint64_t tree) : P_(P), tree_(tree) {}

  std::uint64_t rank(std::uint64_t number) const {
    if (tree_ == 0) return number;
    return P_ % 2 == 0 ? P_ - 1 - number : add_mod<std::uint64_t>(number, 1, P_);
  }
  std::uint64_t number(std::uint64_t rank) const {
    if (tree_ == 0) return rank;
    return P_ % 2 == 0 ? P_ - 1 - rank : sub_mod<std::uint64_t>(rank, 1, P_);
  }
  /// The number of rank 0.
  std::uint64_t of_rank_zero() const { return tree_ == 0 ? 0 : P_ - 1; }

  std::uint64_t parent(std::uint64_t number) const {
    const std::uint64_t l = number & (~number + 1), far = (number - l) | (2 * l);
    return far < P_ ? far : number - l;
  }
  /// Calls f(child), for those before the number and then those after it.
  template <typename F>
  void each_child(std::uint64_t number, F f) const {
    if (number == 0) return f(std::bit_floor(P_ - 1));
    std::uint64_t s = (number & (~number + 1)) / 2;
    if (s == 0) return;
    f(number - s);
    while (s > 0 && number + s >= P_) s /= 2;
    if (s > 0) f(number + s);
  }
  std::uint64_t depth(std::uint64_t number) const {
    std::uint64_t result = 0;
    for (; number != 0; number = parent(number)) ++result;
    return result;
  }

  // The steps of packet 0, for a number at some depth d >= 1: of an allreduce, up from it and down
  // to it, ...
  std::uint64_t up(std::uint64_t d) const { return ceil_log(2, P_) - d; }
  std::uint64_t down(std::uint64_t d) const { return ceil_log(2, P_) + d - 1; }
  /// ... and of a broadcast from rank 0, which serves number 0 first, and its own children at once.
  std::uint64_t broadcast(std::uint64_t number) const {
    std::uint64_t steps = 0;
    for (; number != 0; ++steps) {
      number = parent(number);
      if (number == of_rank_zero()) return steps;
    }
    return steps;
  }

 private:
  std::uint64_t P_, tree_;
};

/// Even packets on the first tree, odd ones on the second: an allreduce, or a broadcast.
class DoubleBinaryTree {
 public:
  DoubleBinaryTree(std::uint64_t P, std::uint64_t K, bool allreduce)
      : P_(P), K_(K), allreduce_(allreduce) {}

  bool is_allreduce() const { return allreduce_; }
  std::uint64_t packets(std::uint64_t tree) const { return tree == 0 ? ceil_div(K_, 2) : K_ / 2; }
  std::uint64_t steps() const {
    if (P_ == 1) return 0;
    const std::uint64_t lg = ceil_log(2, P_), first = packets(0), second = packets(1);
    if (allreduce_) return 2 * lg + first - 1;
    // For P = 2^j + 1 rank 0 serves the top of the second tree, below its root.
    const bool served = P_ > 2 && std::has_single_bit(P_ - 1);
    const std::uint64_t depth = P_ == 2 ? 1 : served ? lg - 1 : lg + 1;
    return std::max(lg + first, second == 0 ? 0 : depth + second) - 1;
  }

  Flows at(std::uint64_t rank) const {
    Flows own;
    if (P_ == 1) return own;
    for (std::uint64_t tree = 0; tree < 2; ++tree)
      allreduce_ ? add_exchanges(tree, rank, own) : add_broadcast(tree, rank, own);
    return own;
  }

 private:
  Flow flow(std::uint64_t tree, std::uint64_t peer, std::uint64_t time, bool reduce) const {
    return {peer, time, packets(tree), 1, tree, 2, 1, reduce};
  }
  void add_exchanges(std::uint64_t tree, std::uint64_t rank, Flows& own) const {
    const NumberedTree all(P_, tree);
    const std::uint64_t number = all.number(rank), d = all.depth(number);
    if (number != 0) {
      const std::uint64_t parent = all.rank(all.parent(number));
      own.sent.push_back(flow(tree, parent, all.up(d), true));
      own.received.push_back(flow(tree, parent, all.down(d), false));
    }
    all.each_child(number, [&](std::uint64_t child) {
      own.received.push_back(flow(tree, all.rank(child), all.up(d + 1), true));
      own.sent.push_back(flow(tree, all.rank(child), all.down(d + 1), false));
    });
  }
  void add_broadcast(std::uint64_t tree, std::uint64_t rank, Flows& own) const {
    const NumberedTree all(P_, tree);
    const std::uint64_t number = all.number(rank);
    const auto serve = [&](std::uint64_t child) {
      if (child != all.of_rank_zero())
        own.sent.push_back(flow(tree, all.rank(child), all.broadcast(child), false));
    };
    if (rank == 0) {
      serve(0);
    } else {
      const std::uint64_t from = number == 0 ? 0 : all.rank(all.parent(number));
      own.received.push_back(flow(tree, from, all.broadcast(number), false));
    }
    all.each_child(number, serve);
  }

  std::uint64_t P_, K_;
  bool allreduce_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_DOUBLE_BINARY_TREE_HPP
