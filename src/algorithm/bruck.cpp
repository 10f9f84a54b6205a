// Bruck's algorithms: allgather and total exchange in ceil(log2 P) steps, for any P.
//
// Allgather. Before step i rank v has 2^i blocks, its own and those of the next ranks round the
// ring; rank v + 2^i has those that come next and sends them to it. The last step brings what is
// left.
//
// Total exchange. The block of rank o for rank d has to go d - o ranks further (modulo P). In step
// i every rank sends all those of its blocks 2^i further for which bit i of this distance is set:
// lg messages a rank instead of P - 1, but each block travels as often as its distance has bits.
//
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, doi 10.1109/71.642949.

#include "algorithm/blocks.hpp"

namespace schedcc {

namespace {

local_terms::Result kernel(const LocalRequest& r) { return circular(r, 2, "2"); }

}  // namespace

extern const AlgorithmEntry bruck_algorithm;
const AlgorithmEntry bruck_algorithm{
    .name = "bruck",
    .summary = "blocks travel round the ring by powers of two",
    .source = "Bruck et al. 1997, doi 10.1109/71.642949",
    .collectives = {Collective::allgather, Collective::alltoall},
    .machines = {"duplex"},
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          const bool exchange = r.problem.collective == Collective::alltoall;
          return CostClaim{
              .steps = ceil_log2(P),
              .volume = K * (exchange ? exchange_volume(P, 2) : allgather_volume(P, 2)),
              .steps_formula = "lg",
              .volume_formula = exchange ? "all 1 bits of 1..P-1" : "P - 1"};
        },
};

extern const KernelEntry bruck_kernel;
const KernelEntry bruck_kernel{"bruck", kernel};

}  // namespace schedcc
