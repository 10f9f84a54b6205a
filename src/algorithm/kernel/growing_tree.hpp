#ifndef SCHEDCC_LOCAL_GROWING_TREE_HPP
#define SCHEDCC_LOCAL_GROWING_TREE_HPP

// Trees that grow as fast as a rank can send: child q = 0, 1, ..., k - 1 of a rank that has the
// packet at time t has it at time t + l + q s, and the P earliest ranks make the tree (the k-ary
// tree; without a limit on children Karp's, for LogP).
//
// A path from the root, q_1, ..., q_m, reaches its rank at time m l + (q_1 + ... + q_m) s; n(t) of
// them are reached at time t, N(t) by then. With N(D-1) < P <= N(D) all that are reached before D
// are in the tree, and X = P - N(D-1) of those at time D: the first ones in the order in which
// senders take turns, in which those that have sent before come first. So of two paths that end at
// the same time the one with the larger last q comes first, of those that have it in common the one
// with the larger last but one, and so on. Let theta be the X-th path in this order, read
// backwards: as q falls the n of what is left are counted, until there are X.
//
// Ranks are numbered in preorder, so a rank finds itself by a walk down from the root, if it knows
// how many ranks are below one that is reached at time h: N(D-1-h), and those at time D. Of the
// n(D-h) continuations of its path those come before theta that differ from it, which do not depend
// on the path: they are counted once for each time. At most one agrees with theta up to where the
// path begins, and the path decides.
//
// For k = 1 the tree is a chain, which is as deep as it has ranks; else D <= (l + s) ceil(log2 P),
// and a shape takes O(D log P) time.
//
// Source: Karp, Sahay, Santos, Schauser 1993; BL, "Example: Broadcasts", "k-ary Tree Broadcast".

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// The rule of such a tree: k >= 1 children, `latency` l >= 1 and `spacing` s >= 1.
struct Growth {
  std::uint64_t k, latency = 1, spacing = 1;
};

/// Its shape for P ranks.
class GrowingShape {
 public:
  /// The numbers q of the children on the way from the root to a rank.
  using Path = std::vector<std::uint64_t>;

  GrowingShape(std::uint64_t P, const Growth& growth) : P_(P), growth_(growth) {
    if (P == 1) return;
    if (growth.k == 1) {
      depth_ = (P - 1) * growth.latency;
      return;
    }
    count_paths();
    find_last();
    count_before_last();
  }

  /// D: the time at which the last rank has the packet.
  std::uint64_t depth() const { return depth_; }

  /// A rank on the way down: its number, the time at which it is reached, and its path.
  struct Member {
    std::uint64_t rank = 0, time = 0;
    Path path = {};
  };
  /// Calls f(child, its number of ranks) for the children of a member, in order, until f returns
  /// false.
  template <typename F>
  void each_child(const Member& member, F f) const {
    Member child{member.rank + 1, member.time + growth_.latency, member.path};
    if (growth_.k == 1) {
      if (child.rank < P_) f(child, P_ - child.rank);
      return;
    }
    child.path.push_back(0);
    for (std::uint64_t q = 0; q < growth_.k && child.time <= depth_; ++q) {
      child.path.back() = q;
      const std::uint64_t size = ranks_below(child);
      if (size == 0 || !f(child, size)) return;
      child.rank += size;
      child.time += growth_.spacing;
    }
  }
  /// Calls f(member) on the way from the root to a rank.
  template <typename F>
  Member find(std::uint64_t rank, F f) const {
    Member at;
    if (growth_.k == 1) {
      if (rank > 1) at = {rank - 1, (rank - 1) * growth_.latency};
      if (rank > 0) f(at);
      return {rank, rank * growth_.latency};
    }
    while (at.rank != rank) {
      f(at);
      Member next;
      each_child(at, [&](const Member& child, std::uint64_t size) {
        if (rank - child.rank >= size) return true;
        next = child;
        return false;
      });
      at = std::move(next);
    }
    return at;
  }

 private:
  /// The sum of n over what is left of a time after the children q = first, ..., k - 1.
  std::uint64_t continuations(std::uint64_t time, std::uint64_t first) const {
    const auto from = [&](std::uint64_t q) {
      if (time < growth_.latency || (time - growth_.latency) / growth_.spacing < q)
        return std::uint64_t{0};
      return strided_[time - growth_.latency - q * growth_.spacing];
    };
    return first >= growth_.k ? 0 : from(first) - from(growth_.k);
  }

  void count_paths() {
    const std::uint64_t s = growth_.spacing;
    for (std::uint64_t t = 0; t == 0 || up_to_.back() < P_; ++t) {
      const std::uint64_t n = t == 0 ? 1 : continuations(t, 0);
      at_.push_back(n);
      up_to_.push_back((t == 0 ? 0 : up_to_.back()) + n);
      strided_.push_back(n + (t < s ? 0 : strided_[t - s]));
    }
    depth_ = at_.size() - 1;
  }

  void find_last() {
    std::uint64_t left = P_ - up_to_[depth_ - 1];
    for (std::uint64_t time = depth_; time > 0;) {
      const std::uint64_t most = (time - growth_.latency) / growth_.spacing;
      std::uint64_t q = std::min(most, growth_.k - 1);
      std::uint64_t rest = time - growth_.latency - q * growth_.spacing;
      for (; left > at_[rest]; rest += growth_.spacing, --q) left -= at_[rest];
      last_.push_back(q);
      time = rest;
    }
  }

  void count_before_last() {
    before_.assign(depth_ + 1, 0);
    agrees_.assign(depth_ + 1, last_.size() + 1);
    for (std::uint64_t i = 0, taken = 0; i <= last_.size(); ++i) {
      agrees_[taken] = i;
      if (i == last_.size()) break;
      for (std::uint64_t time = taken; time <= depth_; ++time)
        before_[time] += continuations(time - taken, last_[i] + 1);
      taken += growth_.latency + last_[i] * growth_.spacing;
    }
  }

  /// The ranks below a member, and itself; 0 if it is not in the tree.
  std::uint64_t ranks_below(const Member& member) const {
    const std::uint64_t left = depth_ - member.time;
    const std::uint64_t early = left == 0 ? 0 : up_to_[left - 1];
    return early + before_[left] + (is_before_last(member.path, agrees_[left]) ? 1 : 0);
  }
  /// Is the path, backwards, not after what is left of theta after `agreed` children?
  bool is_before_last(const Path& path, std::uint64_t agreed) const {
    if (agreed > last_.size()) return false;  // no continuation ends like that
    for (std::uint64_t i = path.size(); i-- > 0; ++agreed) {
      if (path[i] != last_[agreed]) return path[i] > last_[agreed];
    }
    return true;
  }

  std::uint64_t P_;
  Growth growth_;
  std::uint64_t depth_ = 0;
  std::vector<std::uint64_t> at_, up_to_;       ///< n(t), N(t)
  std::vector<std::uint64_t> strided_;          ///< n(t) + n(t - s) + n(t - 2s) + ...
  Path last_;                                   ///< theta
  std::vector<std::uint64_t> before_, agrees_;  ///< by the time that is left
};

/// K packets on such a tree, a period apart.
class GrowingTree {
 public:
  GrowingTree(std::uint64_t P, std::uint64_t K, const Growth& growth, std::uint64_t period)
      : shape_(std::make_shared<const GrowingShape>(P, growth)),
        P_(P),
        K_(K),
        growth_(growth),
        period_(period) {}

  /// On LogP ranks with overhead o, with the least period at which they can pass packets on: what
  /// the root takes to send a packet to its children, or the one of the others that has the most,
  /// its first child, to receive a packet and send it.
  static GrowingTree on_logp(std::uint64_t P, std::uint64_t K, const Growth& growth,
                             std::uint64_t o) {
    GrowingTree tree(P, K, growth, growth.spacing);
    if (P == 1) return tree;
    const std::uint64_t s = growth.spacing, of_root = tree.at(0).sent.size();
    const std::uint64_t of_child = tree.at(1).sent.size();
    tree.period_ = of_root * s;
    if (of_child > 0)
      tree.period_ = std::max(tree.period_, (of_child - 1) * s + std::max(s, 2 * o));
    return tree;
  }

  std::uint64_t steps() const {
    return P_ == 1 ? 0 : shape_->depth() - growth_.latency + (K_ - 1) * period_ + 1;
  }
  std::uint64_t packets() const { return K_; }
  const Growth& growth() const { return growth_; }
  std::uint64_t period() const { return period_; }

  Flows at(std::uint64_t rank) const {
    using Member = GrowingShape::Member;
    Flows own;
    if (P_ == 1) return own;
    std::uint64_t parent = 0;
    const Member self = shape_->find(rank, [&](const Member& above) { parent = above.rank; });
    if (rank > 0) own.received.push_back(flow(parent, self.time));
    shape_->each_child(self, [&](const Member& child, std::uint64_t) {
      own.sent.push_back(flow(child.rank, child.time));
      return true;
    });
    return own;
  }

 private:
  /// To a rank that is reached at a time.
  Flow flow(std::uint64_t peer, std::uint64_t time) const {
    return {peer, time - growth_.latency, K_, period_};
  }

  std::shared_ptr<const GrowingShape> shape_;
  std::uint64_t P_, K_;
  Growth growth_;
  std::uint64_t period_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_GROWING_TREE_HPP
