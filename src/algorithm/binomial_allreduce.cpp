// Reduce to rank 0 on the binomial tree, then broadcast on the same tree.
//
// The simplest allreduce: 2 lg steps for one packet, K times as many for K, which follow one
// another. In the first half ranks send sums over intervals of ranks, in the second complete sums,
// so that operands keep their order.
//
// Source: CC, "Binomial broadcast trees in a butterfly", reversed and unchanged; the composition is
// the oldest allreduce of MPI libraries (Thakur, Rabenseifner, Gropp 2005, doi
// 10.1177/1094342005051521).

#include "algorithm/knomial_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::binomial_allreduce_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const auto down = knomial_tree(r, 2);
  return result(r, sequence(reverse_reducing(down), down), {"blocks.hpp", "trees.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "binomial-allreduce",
    .summary = "reduce, then broadcast, on the binomial tree",
    .source = "CC, Binomial broadcast trees; Thakur, Rabenseifner, Gropp 2005",
    .collectives = {Collective::allreduce},
    .machines = {"duplex", "simplex"},
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t lg = ceil_log2(r.problem.ranks);
          return CostClaim{
              .steps = 2 * lg * r.problem.chunks, .width = 1, .steps_formula = "2 s lg"};
        },
};

}  // namespace schedcc::binomial_allreduce_algorithm
