// Bruck's algorithms: allgather and total exchange in ceil(log2 P) steps, for any P.
//
// Allgather. Before step i rank v has 2^i blocks, its own and those of the next ranks around the
// ring; rank v + 2^i has the following ones and sends them to it. The last step brings the
// remaining ones.
//
// Total exchange. The block of rank o for rank d has to move by d - o ranks (modulo P). In step i
// every rank sends those of its blocks by 2^i ranks for which bit i of this distance is set: lg
// messages a rank instead of P - 1, but each block is sent as often as its distance has set bits.
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
    .summary = "blocks move around the ring by powers of two",
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
