// The pipelined binary tree: every rank forwards every packet to two successors in turn.
//
// It is the fractional tree with groups of one PU; the right successor lags one step behind the
// left one, so the optimal tree is skewed, with P_i = 1 + P_{i-1} + P_{i-2} ranks within i steps.
// A rank takes two steps for a packet, or three with simplex ports.
//
// Source: FT, section 2 ("Two Simple Pipelined Algorithms"); BL, "Lower Bounds" (pipelined tree).

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::binary_tree_algorithm {

namespace {

Steps build(const Request& r) {
  const Problem& p = r.problem;
  return rooted(p, fractional_tree_for(r.machine).build(p.ranks, p.chunks, 1, p.root));
}

/// That of the fractional tree with r = 1.
std::string_view formula(const Machine& machine) {
  return machine.simplex() ? "d + 3s - 2" : "d + 2s - 1";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "binary-tree",
    .summary = "every rank forwards every packet to two others",
    .source = "FT, section 2",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .other_on_simplex = true,
    .order = in_tree_order<build>,
    .kernel = [](const LocalRequest& r) { return fractional_kernel(r, 1); },
    .build = build,
    .claim =
        [](const Request& r) {
          const Problem& p = r.problem;
          const FractionalTree& tree = fractional_tree_for(r.machine);
          CostClaim claim = tree.claim(p.ranks, p.chunks, 1);
          claim.steps_formula = formula(r.machine);
          return claim;
        },
};

}  // namespace schedcc::binary_tree_algorithm
