// Linear: the root serves every rank itself.
//
// Broadcast: the root sends every packet to every rank, the slowest algorithm except for P = 2,
// since its port carries all K(P-1) messages, one a step. The reduction, its reverse, keeps any
// order of operands, since ranks send only their own contributions. Scatter: each rank's block goes
// to it directly, in P - 1 steps; no schedule has less volume, or less at the root's port.
//
// Source: BL, "Quick Example" (simplest linear broadcast).

#include "algorithm/kernel/trees.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::linear_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Headers headers{"blocks.hpp", "trees.hpp"};
  if (r.problem.in_blocks()) {
    return rooted(r, Term<local::LinearScatter>{{P, K}, "LinearScatter(ranks, chunks)"}, headers);
  }
  return rooted(r, Term<local::LinearBroadcast>{{P, K}, "LinearBroadcast(ranks, chunks)"}, headers);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "linear",
    .summary = "the root serves every rank itself",
    .source = "BL, Quick Example",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather},
    .machines = {"duplex", "simplex"},
    .whole_blocks = true,
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          if (r.problem.in_blocks()) return one_block_a_step(r.problem);
          const std::uint64_t packets = std::uint64_t{r.problem.chunks} * (r.problem.ranks - 1);
          return CostClaim{.steps = packets, .width = 1, .steps_formula = "s (P - 1)"};
        },
};

}  // namespace schedcc::linear_algorithm
