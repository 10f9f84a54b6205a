#ifndef SCHEDCC_LOCAL_TWO_TREE_HPP
#define SCHEDCC_LOCAL_TWO_TREE_HPP

// Two in-order binary trees at once, coloured so that a rank receives in them in steps of different
// parity (algorithm/two_tree.cpp has the rule, and why it is right).
//
// A rank walks down both trees to itself. The last arrival is found by one walk down each full
// subtree on the right spine: of two full siblings the later one ends later, since what remains
// below a rank of a full subtree depends on its height only. (One of its children is a step later
// than the other, always the left one or always the right one, and of two leaves either.)
//
// Source: Sanders, Speck, Träff 2009.

#include <bit>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// The in-order tree over the ranks first .. first + m - 1, below a rank that has packet 0 when
/// step `held` begins.
struct InOrderTree {
  std::uint64_t first, m, from, held;

  std::uint64_t root() const { return first + std::bit_floor(m) - 1; }
  bool contains(std::uint64_t rank) const { return rank - first < m; }
};

class TwoTrees {
 public:
  TwoTrees(std::uint64_t P, std::uint64_t K) : n_(P - 1), K_(K) {
    for (std::uint64_t tree = 0; tree < 2; ++tree) {
      if (n_ > 0 && packets(tree) > 0)
        steps_ = std::max(steps_, latest(tree) + 1 + 2 * (packets(tree) - 1));
    }
  }

  std::uint64_t steps() const { return steps_; }
  /// The packets of a tree, 0 or 1: the even or the odd ones.
  std::uint64_t packets(std::uint64_t tree) const { return tree == 0 ? ceil_div(K_, 2) : K_ / 2; }

  /// The step in which a rank receives packet 0 of a tree from one that has it when `held` begins.
  std::uint64_t time(std::uint64_t tree, std::uint64_t held, std::uint64_t v) const {
    return held + (held + parity(v) + tree) % 2;
  }
  /// The in-order part of a tree; all of the first one. Has no ranks for few.
  InOrderTree in_order(std::uint64_t tree) const {
    if (tree == 0) return {1, n_, 0, 0};
    return {2, n_ - 1 - remaining(), 1, time(tree, 0, 1) + 1};
  }
  /// The part to the left and to the right of its root.
  InOrderTree left(std::uint64_t tree, const InOrderTree& all) const {
    return {all.first, all.root() - all.first, all.root(), passed_on(tree, all)};
  }
  InOrderTree right(std::uint64_t tree, const InOrderTree& all) const {
    const std::uint64_t root = all.root();
    return {root + 1, all.first + all.m - 1 - root, root, passed_on(tree, all)};
  }
  /// Calls f(time, from, to) for the edges of a tree that are not in its in-order part.
  template <typename F>
  void each_other_edge(std::uint64_t tree, F f) const {
    if (tree == 0) return;
    const std::uint64_t top = time(tree, 0, 1);
    f(top, 0, 1);
    if (remaining() == 0) return;
    const std::uint64_t next = time(tree, top + 1, n_);
    f(next, 1, n_);
    if (remaining() == 2) f(time(tree, next + 1, n_ - 1), n_, n_ - 1);
  }

  Flows at(std::uint64_t rank) const {
    Flows own;
    if (n_ == 0) return own;
    for (std::uint64_t tree = 0; tree < 2; ++tree) add(tree, rank, own);
    return own;
  }

 private:
  /// Of the second tree: the ranks that are no part of its in-order tree, besides rank 1.
  std::uint64_t remaining() const { return n_ == 1 || n_ % 4 == 3 ? 0 : n_ % 4 == 1 ? 2 : 1; }
  /// The parity of the steps in which rank v of 1..n receives in the first tree.
  std::uint64_t parity(std::uint64_t v) const {
    if (v % 2 == 1) return v == n_ && n_ % 4 == 1 ? 0 : ones(v - 1) % 2;
    const std::uint64_t h = bit_width((v - 1) ^ n_) - 1;
    return ones((n_ >> h << h) - v) % 2;
  }
  static std::uint64_t ones(std::uint64_t x) {
    return static_cast<std::uint64_t>(std::popcount(x));
  }
  std::uint64_t arrival(std::uint64_t tree, const InOrderTree& all) const {
    return time(tree, all.held, all.root());
  }
  std::uint64_t passed_on(std::uint64_t tree, const InOrderTree& all) const {
    return arrival(tree, all) + 1;
  }

  Flow flow(std::uint64_t tree, std::uint64_t peer, std::uint64_t time) const {
    return {peer, time, packets(tree), 2, tree, 2};
  }
  void add(std::uint64_t tree, std::uint64_t rank, Flows& own) const {
    each_other_edge(tree, [&](std::uint64_t time, std::uint64_t from, std::uint64_t to) {
      if (from == rank) own.sent.push_back(flow(tree, to, time));
      if (to == rank) own.received.push_back(flow(tree, from, time));
    });
    InOrderTree all = in_order(tree);
    if (all.from == rank) add_root(tree, all, own);
    if (!all.contains(rank)) return;
    while (all.root() != rank) all = rank < all.root() ? left(tree, all) : right(tree, all);
    own.received.push_back(flow(tree, all.from, arrival(tree, all)));
    add_root(tree, left(tree, all), own);
    add_root(tree, right(tree, all), own);
  }
  void add_root(std::uint64_t tree, const InOrderTree& below, Flows& own) const {
    if (below.m > 0) own.sent.push_back(flow(tree, below.root(), arrival(tree, below)));
  }

  /// The step of the last arrival of packet 0.
  std::uint64_t latest(std::uint64_t tree) const {
    std::uint64_t result = 0;
    each_other_edge(tree, [&](std::uint64_t time, std::uint64_t, std::uint64_t) {
      result = std::max(result, time);
    });
    for (InOrderTree spine = in_order(tree); spine.m > 0; spine = right(tree, spine)) {
      result = std::max(result, arrival(tree, spine));
      for (InOrderTree full = left(tree, spine); full.m > 0;) {
        result = std::max(result, arrival(tree, full));
        const InOrderTree l = left(tree, full), r = right(tree, full);
        full = l.m > 0 && arrival(tree, l) > arrival(tree, r) ? l : r;
      }
    }
    return result;
  }

  std::uint64_t n_, K_;
  std::uint64_t steps_ = 0;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_TWO_TREE_HPP
