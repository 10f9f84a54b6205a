// Two binary trees at once: a rank that forwards packets in one of them is a leaf in the other, so
// that all ports are busy and packets follow one another without a gap.
//
// Let n = P - 1 ranks 1..n receive from the root 0, which sends even packets into the first tree
// and odd ones into the second. T(m) is the in-order tree over 1..m: its root is the largest power
// of two, 2^h <= m, with T(2^h - 1) to its left and T(m - 2^h) to its right. Even numbers forward,
// odd ones are leaves.
//   First tree   T(n).
//   Second tree  rank 1 on top, below it T(m) over 2..m+1, in which odd ranks forward, with an even
//                m, and the remaining ranks, at most two of them: n is a child of 1, and n - 1 of
//                n.
//
// Every rank must receive from its two parents, and serve its two children, in steps of different
// parity. The parity in which v receives in the first tree (in the second, the other one) is, with
// ones(x) the number of ones in x:
//   v odd    ones(v - 1), but 0 for v = n where n = 1 mod 4
//   v even   ones(u - v), u the least spine node >= v (the root of T(n), its right child, and so
//            on, which have 0 themselves)
// Siblings differ in it. First tree, even siblings: in a full subtree u - 2^i and u + 2^i, i > 0,
// below u, of which the left one has one more set bit; on the spine the right one has 0, and the
// left one, u - 2^i below the spine node u, 1. Second tree, odd siblings: the same with v - 1,
// which has an even position in T(m), and there u + 2^i has one more set bit than u for any i, also
// where T(m) is truncated. Leaves, v and v + 2: v - 1 (first tree) and u - v (second) differ in one
// bit. And n, which has 0 if it is even or 1 mod 4, has siblings with 1: in the first tree the left
// child of the spine node n - 1, in the second the root of T(m). Rank 0 serves the root of T(n) in
// even steps and rank 1 in odd ones, since both have 0.
//
// A level takes a packet at most two steps, and there are at most lg - 1 below the root of T(n) or
// T(m), which rank 1, of parity 0, serves at once, since it has 1: at most K + 2 lg - 1 steps.
//
// Subtrees are intervals of ranks 1..n, so that a reduction to rank 0, or P - 1, keeps the order of
// operands; other roots lie within an interval.
//
// Source: Sanders, Speck, Träff 2009. Their second tree is the mirror image of the first one, or
// the first one shifted by a rank, and their parities need O(log P); these here make them O(1).

#include <bit>

#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::two_tree_algorithm {

namespace {

std::uint64_t ones(std::uint64_t x) { return static_cast<std::uint64_t>(std::popcount(x)); }

/// The parity of the steps in which rank v of 1..n receives in the first tree.
std::uint64_t parity(std::uint64_t v, std::uint64_t n) {
  if (v % 2 == 1) return v == n && n % 4 == 1 ? 0 : ones(v - 1) % 2;
  const auto h = static_cast<int>(std::bit_width((v - 1) ^ n)) - 1;
  const std::uint64_t u = n >> h << h;
  return ones(u - v) % 2;
}

/// One of the two trees, tree 0 or 1.
class Tree {
 public:
  Tree(std::uint64_t n, std::uint64_t tree) : n_(n), tree_(tree) {}

  /// `from`, which has packet 0 when step `held` begins, serves v; the step from which v has it.
  std::uint64_t connect(std::uint64_t from, std::uint64_t held, std::uint64_t v) {
    const std::uint64_t time = held + (held + parity(v, n_) + tree_) % 2;
    sends_.push_back({time, static_cast<Rank>(from), static_cast<Rank>(v)});
    return time + 1;
  }

  /// T(m) over the ranks first .. first + m - 1, below `from`.
  void in_order(std::uint64_t first, std::uint64_t m, std::uint64_t from, std::uint64_t held) {
    if (m == 0) return;
    const std::uint64_t left = std::bit_floor(m) - 1;
    const std::uint64_t v = first + left;
    const std::uint64_t passed_on = connect(from, held, v);
    in_order(first, left, v, passed_on);
    in_order(v + 1, m - left - 1, v, passed_on);
  }

  Steps packets(std::uint64_t count) const { return pipelined(sends_, 2, count); }

 private:
  std::uint64_t n_, tree_;
  std::vector<Send> sends_;
};

Tree first_tree(std::uint64_t n) {
  Tree tree(n, 0);
  tree.in_order(1, n, 0, 0);
  return tree;
}

Tree second_tree(std::uint64_t n) {
  Tree tree(n, 1);
  const std::uint64_t held = tree.connect(0, 0, 1);
  const std::uint64_t remaining = n == 1 || n % 4 == 3 ? 0 : n % 4 == 1 ? 2 : 1;
  tree.in_order(2, n - 1 - remaining, 1, held);
  if (remaining == 0) return tree;
  const std::uint64_t passed_on = tree.connect(1, held, n);
  if (remaining == 2) tree.connect(n, passed_on, n - 1);
  return tree;
}

Steps build(const Request& r) {
  const std::uint64_t n = r.problem.ranks - 1;
  const std::uint64_t K = r.problem.chunks;
  require_memory_for_ranks(n, 2 * sizeof(Send), "a pair of trees");
  return rooted(r.problem,
                split({first_tree(n).packets(ceil_div(K, 2)), second_tree(n).packets(K / 2)}));
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "two-tree",
    .summary = "two binary trees at once, at full bandwidth for every P",
    .source = "Sanders, Speck, Träff 2009",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = in_tree_order<build>,
    .build = build,
    .claim =
        [](const Request& r) {
          const std::uint64_t lg = ceil_log2(r.problem.ranks);
          return CostClaim{.steps = r.problem.chunks + 2 * lg - 1,
                           .exact = false,
                           .width = 1,
                           .steps_formula = "s + 2 lg - 1"};
        },
};

}  // namespace schedcc::two_tree_algorithm
