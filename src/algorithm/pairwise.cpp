// Pairwise exchange: in step t every rank r sends its block for rank r + t + 1 directly.
//
// The steps are the P - 1 rotations, so each is a permutation, every port carries a block in every
// step, and no block is sent twice: optimal in volume, P - 1 steps.
//
// Source: BFT, section 5 (total exchange as permutations), on a complete network.

#include "algorithm/kernel/exchange.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return result(
      r, Term<local::Pairwise>{{r.problem.ranks, r.problem.chunks}, "Pairwise(ranks, chunks)"},
      {"exchange.hpp"});
}

}  // namespace

extern const AlgorithmEntry pairwise_algorithm;
const AlgorithmEntry pairwise_algorithm{
    .name = "pairwise",
    .summary = "in step t rank r sends to rank r + t + 1",
    .source = "BFT, section 5, on a complete network",
    .collectives = {Collective::alltoall},
    .machines = {"duplex"},
    .whole_blocks = true,
    .build = stream_of<kernel>,
    .claim = [](const Request& r) { return one_block_a_step(r.problem); },
};

extern const KernelEntry pairwise_kernel;
const KernelEntry pairwise_kernel{"pairwise", kernel};

}  // namespace schedcc
