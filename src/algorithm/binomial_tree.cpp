// The binomial tree: every rank that has the data halves its interval of ranks, and sends to the
// first rank of the upper half.
//
// Rank v, a multiple of 2^m, serves v .. v + 2^m - 1. In its step it sends to v + 2^(m-1) the data
// of the upper half: the packet (broadcast), or the blocks of that half (scatter). So after lg =
// ceil(log2 P) steps all ranks are served; several packets follow one another, K lg steps. Halving,
// rather than doubling, makes every subtree an interval of ranks: scatter sends one run, and the
// reversed broadcast can reduce in order.
//
// Source: BL, "Faster Trees?" (k = 2); CC, "Binomial broadcast trees in a butterfly".

#include "algorithm/blocks.hpp"
#include "algorithm/knomial_tree.hpp"

namespace schedcc::binomial_tree_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  if (!r.problem.in_blocks()) return rooted(r, knomial_tree(r, 2), {"blocks.hpp", "trees.hpp"});
  return rooted(r, tree_scatter(r, 2, "2"), {"blocks.hpp", "trees.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "binomial-tree",
    .summary = "every holder halves its interval of ranks and sends to the upper half",
    .source = "BL, Faster Trees?; CC, Binomial broadcast trees",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather},
    .machines = {"duplex", "simplex"},
    .whole_blocks = true,
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .scaling = blocks_or_packets,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t lg = ceil_log2(r.problem.ranks);
          if (r.problem.in_blocks()) return all_blocks_once(r.problem, lg, "lg");
          return CostClaim{.steps = lg * r.problem.chunks, .width = 1, .steps_formula = "s lg"};
        },
};

}  // namespace schedcc::binomial_tree_algorithm
