#ifndef SCHEDCC_LOCAL_GROWING_TREE_HPP
#define SCHEDCC_LOCAL_GROWING_TREE_HPP

// Trees that grow as fast as a rank can send: child q = 0, 1, ..., k - 1 of a rank that has the
// packet at time t has it at time t + l + q s, and the P earliest ranks make the tree (the k-ary
// tree; without a limit on children Karp's, for LogP). In the k-nomial tree of h levels a rank
// sends to k - 1 others for each level below its own, the highest first: child q is j =
// floor(q/(k-1)) + 1 levels lower, and j is what it costs to go there.
//
// A path from the root, q_1, ..., q_m, reaches its rank at time m l + (q_1 + ... + q_m) s; n(t) of
// them are reached at time t, N(t) by then. In a k-nomial tree its costs are at most h in all, so
// that there are n and N for each number of levels that may be left. As times and costs add up, in
// any order, these also count paths that are read backwards, and those that continue one. With
// N(D-1) < P <= N(D) all that are reached before D are in the tree, and X = P - N(D-1) of those at
// time D: the first ones in the order in which senders take turns, in which those that have sent
// before come first. So of two paths that end at the same time the one with the larger last q comes
// first, of those that have it in common the one with the larger last but one, and so on. Let theta
// be the X-th path in this order, read backwards: as q falls the n of what is left are counted,
// until there are X.
//
// Ranks are numbered in preorder, so a rank finds itself by a walk down from the root, if it knows
// how many ranks are below one that is reached at time h: N(D-1-h), and those at time D. Of the
// n(D-h) continuations of its path those come before theta that differ from it, which do not depend
// on the path: they are counted once for each time. At most one agrees with theta up to where the
// path begins, and the path decides.
//
// For k = 1 the tree is a chain, which is as deep as it has ranks; else D <= (l + s) ceil(log2 P),
// and a shape takes O(D log P) time, of a k-nomial tree O(h^2 D).
//
// Source: Karp, Sahay, Santos, Schauser 1993; BL, "Example: Broadcasts", "k-ary Tree Broadcast".

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithm/kernel/flows.hpp"

namespace schedcc::local {

/// The rule of such a tree: k >= 1 children, `latency` l >= 1 and `spacing` s >= 1; or that of a
/// k-nomial tree, k >= 2, of h = `levels` >= 1.
struct Growth {
  std::uint64_t k, latency = 1, spacing = 1, levels = 0;

  bool knomial() const { return levels > 0; }
  /// The number of children of a rank with so many levels below it.
  std::uint64_t children(std::uint64_t level) const { return knomial() ? level * (k - 1) : k; }
  /// The levels that child q costs.
  std::uint64_t cost(std::uint64_t q) const { return knomial() ? q / (k - 1) + 1 : 0; }
};

/// How many paths take a time, by the levels that they may cost: 0 to h, in a k-ary tree only 0.
class PathCounts {
 public:
  explicit PathCounts(const Growth& growth) : growth_(growth), of_(growth.levels + 1) {}

  /// n(t), for a time that was counted.
  std::uint64_t at(std::uint64_t level, std::uint64_t time) const { return of_[level].at[time]; }
  /// N(t).
  std::uint64_t up_to(std::uint64_t level, std::uint64_t time) const {
    return of_[level].up_to[time];
  }
  /// n(t) without the paths that begin with a child before `first`.
  std::uint64_t beginning(std::uint64_t level, std::uint64_t time, std::uint64_t first) const {
    if (!growth_.knomial()) return with_first(0, time, first, growth_.k);
    std::uint64_t sum = 0;
    for (std::uint64_t q = first; q < growth_.children(level) && reaches(time, q);) {
      const std::uint64_t cost = growth_.cost(q), end = growth_.children(cost);
      sum += with_first(level - cost, time, q, end);
      q = end;
    }
    return sum;
  }
  /// Counts the next time, from 0 on.
  void count_next() {
    const std::uint64_t t = of_.front().at.size(), s = growth_.spacing;
    for (std::uint64_t level = 0; level < of_.size(); ++level) {
      const std::uint64_t n = t == 0 ? 1 : beginning(level, t, 0);
      Counts& counts = of_[level];
      counts.at.push_back(n);
      counts.up_to.push_back((t == 0 ? 0 : counts.up_to.back()) + n);
      counts.strided.push_back(n + (t < s ? 0 : counts.strided[t - s]));
    }
  }

 private:
  struct Counts {
    std::vector<std::uint64_t> at, up_to;  ///< n(t), N(t)
    std::vector<std::uint64_t> strided;    ///< n(t) + n(t - s) + n(t - 2s) + ...
  };

  bool reaches(std::uint64_t time, std::uint64_t q) const {
    return time >= growth_.latency && (time - growth_.latency) / growth_.spacing >= q;
  }
  /// Paths that begin with one of the children first .. end-1, and continue within `level`.
  std::uint64_t with_first(std::uint64_t level, std::uint64_t time, std::uint64_t first,
                           std::uint64_t end) const {
    const auto from = [&](std::uint64_t q) {
      if (!reaches(time, q)) return std::uint64_t{0};
      return of_[level].strided[time - growth_.latency - q * growth_.spacing];
    };
    return first >= end ? 0 : from(first) - from(end);
  }

  Growth growth_;
  std::vector<Counts> of_;
};

/// Its shape for P ranks.
class GrowingShape {
 public:
  /// The numbers q of the children on the way from the root to a rank.
  using Path = std::vector<std::uint64_t>;

  GrowingShape(std::uint64_t P, const Growth& growth) : P_(P), growth_(growth), paths_(growth) {
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

  /// A rank on the way down: its number, the time at which it is reached, the levels below it, and
  /// its path.
  struct Member {
    std::uint64_t rank = 0, time = 0, level = 0;
    Path path = {};
  };
  Member root() const { return {0, 0, growth_.levels, {}}; }
  /// Calls f(child, its number of ranks) for the children of a member, in order, until f returns
  /// false.
  template <typename F>
  void each_child(const Member& member, F f) const {
    Member child{member.rank + 1, member.time + growth_.latency, 0, member.path};
    if (growth_.k == 1) {
      if (child.rank < P_) f(child, P_ - child.rank);
      return;
    }
    child.path.push_back(0);
    for (std::uint64_t q = 0; q < growth_.children(member.level) && child.time <= depth_; ++q) {
      child.level = member.level - growth_.cost(q);
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
    Member at = root();
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
  void count_paths() {
    std::uint64_t t = 0;
    for (paths_.count_next(); paths_.up_to(growth_.levels, t) < P_; ++t) paths_.count_next();
    depth_ = t;
  }

  void find_last() {
    const std::uint64_t l = growth_.latency, s = growth_.spacing;
    std::uint64_t left = P_ - paths_.up_to(growth_.levels, depth_ - 1);
    for (std::uint64_t time = depth_, level = growth_.levels; time > 0;) {
      std::uint64_t q = std::min((time - l) / s, growth_.children(level) - 1);
      const auto rest = [&] { return paths_.at(level - growth_.cost(q), time - l - q * s); };
      for (; left > rest(); --q) left -= rest();
      last_.push_back(q);
      level -= growth_.cost(q);
      time -= l + q * s;
    }
  }

  /// For all times and levels that may be left: of the continuations those that agree with theta,
  /// backwards, up to its child number i, and then have a larger one.
  void count_before_last() {
    before_.assign(growth_.levels + 1, Counts(depth_ + 1, 0));
    agrees_.assign(depth_ + 1, last_.size() + 1);
    std::uint64_t taken = 0, cost = 0;
    for (std::uint64_t i = 0; i <= last_.size(); ++i) {
      agrees_[taken] = i;
      costs_.push_back(cost);
      if (i == last_.size()) break;
      for (std::uint64_t level = cost; level <= growth_.levels; ++level) {
        for (std::uint64_t time = taken; time <= depth_; ++time)
          before_[level][time] += paths_.beginning(level - cost, time - taken, last_[i] + 1);
      }
      taken += growth_.latency + last_[i] * growth_.spacing;
      cost += growth_.cost(last_[i]);
    }
  }

  /// The ranks below a member, and itself; 0 if it is not in the tree.
  std::uint64_t ranks_below(const Member& member) const {
    const std::uint64_t left = depth_ - member.time;
    const std::uint64_t early = left == 0 ? 0 : paths_.up_to(member.level, left - 1);
    return early + before_[member.level][left] + (is_before_last(member, agrees_[left]) ? 1 : 0);
  }
  /// Is the path, continued by the last `agreed` children of theta, in the tree, and not after
  /// theta?
  bool is_before_last(const Member& member, std::uint64_t agreed) const {
    if (agreed > last_.size()) return false;  // no continuation ends like that
    if (costs_[agreed] > member.level) return false;
    for (std::uint64_t i = member.path.size(); i-- > 0; ++agreed) {
      if (member.path[i] != last_[agreed]) return member.path[i] > last_[agreed];
    }
    return true;
  }

  using Counts = std::vector<std::uint64_t>;

  std::uint64_t P_;
  Growth growth_;
  std::uint64_t depth_ = 0;
  PathCounts paths_;
  Path last_;                   ///< theta
  Counts costs_;                ///< of its last 0, 1, ... children
  Counts agrees_;               ///< by the time that is left
  std::vector<Counts> before_;  ///< by the levels and the time that are left
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
