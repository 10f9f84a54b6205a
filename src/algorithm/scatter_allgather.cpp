// Broadcast as scatter and allgather: each rank gets a part of the message, then all of them.
//
// The message is cut into P parts, which a binomial tree scatters in lg = ceil(log2 P) steps;
// Bruck's allgather puts them together at every rank in lg more, for any P. A rank keeps the parts
// that it forwards. They are those right after its own, which it would get first in the allgather,
// so the allgather leaves them out: every rank receives every chunk once, and the reverse is a
// reduction, by reduce-scatter and gather.
//
// If P = 2^h divides K, each half has messages of K/2, K/4, ... chunks: 2h steps and a volume of 2
// K (P-1)/P chunks, each at most twice the minimum for a broadcast. With K = 1 the last step is
// empty if P = 2^i + 1 (also P = 2), since only rank 0 is P - 1 ranks before the one that has the
// chunk: a step less.
//
// Source: CC, Broadcast done by Scatter then Allgather (BSP, Other collectives); Bruck et al. 1997,
// doi 10.1109/71.642949 (the allgather).

#include "algorithm/blocks.hpp"

namespace schedcc::scatter_allgather_algorithm {

namespace {

local_terms::Result kernel(const LocalRequest& r) { return circular(r, 2, "2"); }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "scatter-allgather",
    .summary = "each rank gets a part of the message, then all of them",
    .source = "CC, Other collectives in BSP",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order =
        [](const Request& r) { return trees_in_order(at_most_one_each(r), stream_of<kernel>); },
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          const std::uint64_t steps = scatter_allgather_steps(P, K, 2);
          return CostClaim{.steps = steps,
                           .volume = allreduce_volume(K, P),
                           .steps_formula = steps == 2 * ceil_log2(P) ? "2 lg" : "2 lg - 1",
                           .volume_formula = "2 (1 - 1/P)"};
        },
};

}  // namespace schedcc::scatter_allgather_algorithm
