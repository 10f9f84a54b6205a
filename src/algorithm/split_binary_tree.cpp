// The split binary tree: each half of the message goes down one half of a binary tree, then the
// two halves of the ranks exchange theirs.
//
// Counted from the root, v = 1, 2, ..., P - 1, rank v of level l = floor(log2(v + 1)) has the
// children v + 2^l and v + 2 2^l. All odd v are below rank 1, all even ones below rank 2. The first
// ceil(K/2) packets go to rank 1, in every other step, the others to rank 2 between them. Every
// rank receives a packet every two steps and sends it to its two children, so all ports are busy.
// Then v = 1, 3, 5, ... exchange their halves with v + 1, a message each; if P is even the last one
// gets the other half from the root.
//
// Steps: at most K + 2 (lg - 2) for the trees (P > 4), and one for the exchange, of K/2 chunks.
// Exchanges that begin earlier would block the ports of the trees.
//
// Source: Open MPI's coll/tuned (split binary tree); J. Pjesivac-Grbovic et al., "Performance
// Analysis of MPI Collective Operations", Cluster Computing 10 (2007),
// doi 10.1007/s10586-007-0012-0.

#include <fmt/core.h>

#include "algorithm/kernel/split_binary_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc {

Steps from_kernel(const local::SplitBinaryTree& kernel, std::uint64_t P) {
  require_memory_for_ranks(P, sizeof(Send), "a split binary tree");
  const auto tree = [&](std::uint64_t half) {
    std::vector<Send> sends;
    for (std::uint64_t v = 1 + half; v < P; v += 2) {
      sends.push_back({local::SplitBinaryTree::arrival(v),
                       static_cast<Rank>(local::SplitBinaryTree::parent(v)), static_cast<Rank>(v)});
    }
    return pipelined(sends, kernel.period(), kernel.packets(half));
  };
  const auto second = [first = static_cast<Chunk>(kernel.packets(0))](Transfer& t) {
    t.first += first;
  };
  Steps trees = parallel({tree(0), each_transfer(tree(1), second)});
  if (!kernel.exchanges()) return trees;
  return sequence(std::move(trees), every_step(1, [=](std::uint64_t, Transfers& out) {
                    for (std::uint64_t v = 1; v < P; ++v) {
                      const local::Flow half = kernel.exchanged(v);
                      send_run(out, half.peer, v,
                               {static_cast<Chunk>(half.first),
                                static_cast<std::uint32_t>(half.packets * half.count)});
                    }
                  }));
}

}  // namespace schedcc

namespace schedcc::split_binary_tree_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  require_product(r.problem.chunks, 2, "2 K");
  return rooted(r,
                Term<local::SplitBinaryTree>{{r.problem.ranks, r.problem.chunks},
                                             "SplitBinaryTree(ranks, chunks)"},
                {"flows.hpp", "split_binary_tree.hpp"});
}

CostClaim claim(const Request& r) {
  const local::SplitBinaryTree tree(r.problem.ranks, r.problem.chunks);
  const std::uint64_t trees = tree.tree_steps();
  if (!tree.exchanges()) return {.steps = trees, .volume = trees, .steps_formula = "s"};
  return {.steps = trees + 1,
          .volume = trees + tree.packets(r.problem.ranks == 2 ? 1 : 0),
          .steps_formula = "s + 2 (lg - 2) + 1 or less"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "split-binary-tree",
    .summary = "half of the message down each half of a binary tree, which then exchange them",
    .source = "Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::split_binary_tree_algorithm
