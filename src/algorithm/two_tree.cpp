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

#include "algorithm/kernel/two_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::two_tree_algorithm {

namespace {

/// Appends the edges of an in-order part of a tree, parents first.
void append_edges(const local::TwoTrees& trees, std::uint64_t tree, const local::InOrderTree& part,
                  std::vector<Send>& sends) {
  if (part.m == 0) return;
  const std::uint64_t root = part.root();
  sends.push_back(
      {trees.time(tree, part.held, root), static_cast<Rank>(part.from), static_cast<Rank>(root)});
  append_edges(trees, tree, trees.left(tree, part), sends);
  append_edges(trees, tree, trees.right(tree, part), sends);
}

Steps packets(const local::TwoTrees& trees, std::uint64_t tree) {
  std::vector<Send> sends;
  append_edges(trees, tree, trees.in_order(tree), sends);
  trees.each_other_edge(tree, [&](std::uint64_t time, std::uint64_t from, std::uint64_t to) {
    sends.push_back({time, static_cast<Rank>(from), static_cast<Rank>(to)});
  });
  return pipelined(sends, 2, trees.packets(tree));
}

}  // namespace

}  // namespace schedcc::two_tree_algorithm

namespace schedcc {

Steps from_kernel(const local::TwoTrees& kernel, std::uint64_t P) {
  require_memory_for_ranks(P - 1, 2 * sizeof(Send), "a pair of trees");
  return split({two_tree_algorithm::packets(kernel, 0), two_tree_algorithm::packets(kernel, 1)});
}

}  // namespace schedcc

namespace schedcc::two_tree_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return rooted(
      r, Term<local::TwoTrees>{{r.problem.ranks, r.problem.chunks}, "TwoTrees(ranks, chunks)"},
      {"flows.hpp", "two_tree.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "two-tree",
    .summary = "two binary trees at once, at full bandwidth for every P",
    .source = "Sanders, Speck, Träff 2009",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
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
