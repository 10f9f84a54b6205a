// The recursive allreduce: halve the vector h = log2 P times, then reassemble it.
//
// In step i < h partners have the same part of the vector; each sends one half of it and adds up
// the other, with which it continues. After h steps every rank has its P-th of the vector,
// complete; in the other h steps the same exchanges in reverse, as copies, bring it the rest.
// Messages have K/2, K/4, ... chunks and again, 2 K (P-1)/P in all if P divides K. If K < P parts
// become empty, and some of the ranks send nothing.
//
// CC's Algorithm 1 pairs j with j + P/2 first. Here partners differ in bit i of their numbers,
// the lowest first, which is the same with the bits of all numbers reversed, and every sum is then
// one over an aligned interval of ranks: operands keep their order.
//
// Source: CC, Recursive allreduce, Algorithm 1, and Allreduce cost derivation.

#include "algorithm/doubling.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::butterfly_allreduce_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return result(r, butterfly_allreduce(r.problem.ranks, r.problem.chunks, "ranks"),
                {"blocks.hpp", "doubling.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "butterfly-allreduce",
    .summary = "recursive halving, then recursive doubling",
    .source = "CC, Recursive allreduce",
    .collectives = {Collective::allreduce},
    .machines = {"duplex"},
    .reason = powers_of_two_only,
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          return CostClaim{.steps = 2 * ceil_log2(P),
                           .volume = allreduce_volume(K, P),
                           .steps_formula = "2h",
                           .volume_formula = "2 (1 - 1/P)"};
        },
};

}  // namespace schedcc::butterfly_allreduce_algorithm
