// Broadcast as scatter and allgather: each rank gets a part of the message, then all of them.
//
// The message is cut into P parts, which a binomial tree scatters in lg = ceil(log2 P) steps;
// Bruck's allgather puts them together at every rank in lg more, for any P. Ranks on the way to
// others have seen parts go by: the r-th of the tree keeps the parts that come next to its own, and
// these are just what it would get first in the allgather, which therefore leaves them out: every
// rank receives every chunk once. So the reverse is a reduction, by reduce-scatter and gather.
//
// If P = 2^h divides K, each half has messages of K/2, K/4, ... chunks, so that with 2 K (P-1)/P
// chunks along the way it is at most twice as long as any broadcast must be, for long messages and
// short ones. A broadcast of one chunk has nothing to put together for P = 2, nor in the last step
// for P = 2^i + 1, where only rank 0 is so far from the one rank that has a part: a step less.
//
// Source: CC, Broadcast done by Scatter then Allgather (BSP, Other collectives); Bruck et al. 1997,
// doi 10.1109/71.642949 (the allgather).

#include "frontend/algebra.hpp"
#include "frontend/algorithms/blocks.hpp"

namespace schedcc {

namespace {

Steps build(const Request& r) {
  return rooted(r.problem, scatter_allgather(r.problem.ranks, r.problem.chunks, 2));
}

}  // namespace

extern const Algorithm scatter_allgather_algorithm;
const Algorithm scatter_allgather_algorithm{
    .name = "scatter-allgather",
    .summary = "each rank gets a part of the message, then all of them",
    .source = "CC, Other collectives in BSP",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = [](const Request& r) { return trees_in_order(at_most_one_each(r), build); },
    .build = build,
    .promise =
        [](const Request& r) {
          return Promise{scatter_allgather_steps(r.problem.ranks, r.problem.chunks, 2)};
        },
};

}  // namespace schedcc
