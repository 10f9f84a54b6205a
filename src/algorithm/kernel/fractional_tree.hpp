#ifndef SCHEDCC_LOCAL_FRACTIONAL_TREE_HPP
#define SCHEDCC_LOCAL_FRACTIONAL_TREE_HPP

// The fractional tree: a binary tree whose nodes are groups of r ranks in a chain.
//
// If a rank has packet 0 before step b, it sends packet q of run m (of r packets) down in step
// b + m (r+1) + q, and in step b + m (r+1) + r one packet of the run to the right: the i-th of its
// group the i-th packet, to the head of the right successor. It receives a step before it sends
// down. Ranks are numbered in preorder: a group, its down subtree, its right subtrees. As many
// ranks as can be reached in time go down. So a walk from the root to the rank's own group, of at
// most d / r steps, finds its position, and the N_i take O(d).
//
// `last`: the last ranks, which become a tree of their own on the right of the root's group if it
// costs no step, so that a reduction whose root is in the middle keeps the order.
//
// Source: FT, section 3.

#include <vector>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// How trees of groups grow. A group is a chain of `size` ranks; if its head has packet 0 before
/// step b, the head of the tree below it has it before step b + size, and that of the tree on its
/// right with number j < rights before step b + right + j.
struct Group {
  std::uint64_t size;
  std::uint64_t rights;  ///< trees on the right, 1 or 2
  std::uint64_t right;   ///< >= size

  friend bool operator==(const Group&, const Group&) = default;
};

/// N_0, N_1, ...: the number of ranks of a tree that have packet 0 within i steps after its head,
///     N_i = size + N_{i-size} + sum over j of N_{i-right-j},   N_i = i + 1 for i < size,
/// up to the first i with N_i + ... + N_{i-trees+1} >= P: then that many trees, 1 or 2, each begun
/// a step after the previous one, have P ranks.
inline std::vector<std::uint64_t> tree_sizes(std::uint64_t P, const Group& group,
                                             std::uint64_t trees = 1) {
  std::vector<std::uint64_t> N;
  const auto at = [&](std::uint64_t i, std::uint64_t back) { return i < back ? 0 : N[i - back]; };
  std::uint64_t reached = 0;
  for (std::uint64_t i = 0; reached < P; ++i) {
    std::uint64_t n = i + 1;
    if (i >= group.size) {
      n = group.size + at(i, group.size);
      for (std::uint64_t j = 0; j < group.rights; ++j) n += at(i, group.right + j);
    }
    N.push_back(n);
    reached = n + (trees == 2 ? at(i, 1) : 0);
  }
  return N;
}

/// How many of the ranks after a group go down, and into each of the trees on the right.
struct Split {
  std::uint64_t down, right[2];
};
/// `rest` ranks after a group, all of them to be reached within `budget` steps after its head; N as
/// above. If possible the last `last` ranks are a tree on the right.
inline Split split(const Group& group, const std::vector<std::uint64_t>& N, std::uint64_t rest,
                   std::uint64_t budget, std::uint64_t last) {
  const auto room = [&](std::uint64_t steps) { return budget < steps ? 0 : N[budget - steps]; };
  const std::uint64_t down = room(group.size), right = room(group.right);
  const bool fits = last > 0 && last <= right && last <= rest && rest - last <= down;
  Split n{fits ? rest - last : std::min(rest, down), {0, 0}};
  n.right[0] = std::min(rest - n.down, right);
  n.right[1] = rest - n.down - n.right[0];
  return n;
}

/// The state of an edge's sender a number of steps after the edge's first packet could leave. (r =
/// 0: one endless run, a chain.)
template <typename N>
struct RunPosition {
  N run;    ///< the first packet of the run that is under way
  N place;  ///< steps since the run began, 0 .. r
};

template <typename N>
constexpr RunPosition<N> run_position(N since, std::uint64_t r) {
  if (r == 0) return {N(0), since};
  return {since / N(r + 1) * N(r), since % N(r + 1)};
}
/// The packet at its place in the run goes down; the pause is at place r.
template <typename N>
constexpr N down_packet(const RunPosition<N>& position) {
  return position.run + position.place;
}
template <typename N>
constexpr auto sends_down(const RunPosition<N>& position, std::uint64_t r, N K) {
  const auto exists = down_packet(position) < K;
  return r == 0 ? exists : position.place < N(r) && exists;
}
/// In the pause, packet i of the run goes right.
template <typename N>
constexpr N right_packet(const RunPosition<N>& position, N i) {
  return position.run + i;
}
template <typename N>
constexpr auto sends_right(const RunPosition<N>& position, N i, std::uint64_t r, N K) {
  return position.place == N(r) && right_packet(position, i) < K;
}
/// The steps, if packet 0 reaches the last PU in step d.
template <typename N>
constexpr N fractional_steps(N d, N K, std::uint64_t r) {
  return r == 0 ? d + K : d + K + (K + N(r - 1)) / N(r) - N(1);
}

/// The length of a run: r, or 0 if the tree is one group and the next rank, a chain.
constexpr std::uint64_t fractional_run(std::uint64_t P, std::uint64_t r) {
  return P <= r + 1 ? 0 : r;
}
/// The group of the tree for P >= 2 ranks.
inline Group fractional_group(std::uint64_t P, std::uint64_t r) {
  const std::uint64_t size = std::min(r, P - 1);
  return {size, 1, size + 1};
}
/// Its N_0, N_1, ...; none of a chain, which has N_i = i + 1.
inline std::vector<std::uint64_t> fractional_sizes(std::uint64_t P, std::uint64_t r) {
  if (fractional_run(P, r) == 0) return {};
  return tree_sizes(P, fractional_group(P, r));
}

class FractionalTree {
 public:
  FractionalTree(std::uint64_t P, std::uint64_t K, std::uint64_t r, std::uint64_t last = 0)
      : P_(P), K_(K), r_(fractional_run(P, r) == 0 ? std::max(P - 1, K) : r), last_(last) {
    if (P == 1) return;
    group_ = fractional_group(P, r);
    N_ = fractional_sizes(P, r);
    depth_ = N_.empty() ? P - 1 : N_.size() - 1;
  }

  std::uint64_t chunks() const { return K_; }
  std::uint64_t run() const { return r_; }
  std::uint64_t last() const { return last_; }
  std::uint64_t steps() const { return P_ == 1 ? 0 : fractional_steps(depth_ - 1, K_, r_); }

  struct RankSchedule {
    std::uint64_t K, r, steps;
    std::uint64_t start = 0;   ///< b: it has packet 0 before this step
    std::uint64_t index = 0;   ///< i: its position in its group
    bool receives_any = true;  ///< all but the root
    std::uint64_t parent = 0;  ///< its sender, or the first of them if it is a right head
    bool by_packet = false;    ///< a right head: packet i of a run comes from parent + i
    bool has_down = false, has_right = false;
    std::uint64_t down = 0, right = 0;

    /// All steps of whole runs. In the last one, of but m < r packets, it receives them in the
    /// steps from the one before its start on and sends them in the next, and one in step r.
    StepRanges active_steps() const {
      const std::uint64_t m = K % r, end = start + K / r * (r + 1);
      const std::uint64_t first = receives_any ? start - 1 : start;
      StepRanges ranges{{{first, std::min(end, steps), 1}}};
      if (m == 0) return ranges;
      ranges.parts.push_back({K < r ? first : end - 1, std::min(end + m, steps), 1});
      if (has_right && index < m) ranges.parts.push_back({end + r, end + r + 1, 1});
      return ranges;
    }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      if (step < start) return;
      const auto position = run_position(step - start, r);
      if (has_down && sends_down(position, r, K))
        f(RankTransfer{down, down_packet(position), 1, false});
      if (has_right && sends_right(position, index, r, K)) {
        f(RankTransfer{right, right_packet(position, index), 1, false});
      }
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      if (!receives_any || step + 1 < start) return;
      const auto position = run_position(step + 1 - start, r);
      if (!sends_down(position, r, K)) return;
      f(RankTransfer{by_packet ? parent + position.place : parent, down_packet(position), 1,
                     false});
    }
  };

  RankSchedule at(std::uint64_t rank) const {
    RankSchedule own{K_, r_, steps()};
    own.receives_any = rank != 0;
    if (P_ == 1) return own;
    std::uint64_t head = 0, n = P_, budget = depth_, last = last_;
    for (;;) {
      const std::uint64_t group = std::min(n, group_.size), next = head + group;
      const std::uint64_t down =
          N_.empty() ? n - group : split(group_, N_, n - group, budget, last).down;
      if (rank < next) {
        own.index = rank - head;
        own.start += own.index;
        if (own.index > 0) {
          own.parent = rank - 1;
          own.by_packet = false;
        }
        const bool ends = rank + 1 == next;
        own.has_down = !ends || down > 0;
        own.down = rank + 1;  // the next of the group, or the head of the group below
        own.has_right = n - group > down;
        own.right = next + down;
        return own;
      }
      own.by_packet = rank >= next + down;
      const std::uint64_t later = own.by_packet ? group_.right : group_.size;
      own.parent = own.by_packet ? head : next - 1;
      n = own.by_packet ? n - group - down : down;
      head = own.by_packet ? next + down : next;
      own.start += later;
      budget -= later;
      last = 0;
    }
  }

 private:
  std::uint64_t P_, K_, r_, last_;
  std::uint64_t depth_ = 0;
  Group group_{};
  std::vector<std::uint64_t> N_;  ///< none of a chain
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_FRACTIONAL_TREE_HPP
