// Recursive doubling: in step i ranks that differ in bit i exchange all of their blocks, or sums.
//
// Before step i rank r has the blocks (the sum) of the 2^i ranks that agree with it in bit i
// and all higher bits, an aligned interval; its partner r xor 2^i has the neighbouring one. After h
// = log2 P steps the interval has all ranks. Since both partners combine neighbouring intervals,
// the allreduce keeps the order of operands.
//
// Source: CC, Recursive allreduce (its allgather half, and the latency-optimal variant of the
// whole).

#include "algorithm/doubling.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::recursive_doubling_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Headers headers{"blocks.hpp", "doubling.hpp"};
  if (r.problem.in_blocks()) return result(r, doubling_allgather(r), headers);
  return result(r,
                Term<local::DoublingAllreduce>{{r.problem.ranks, r.problem.chunks},
                                               "DoublingAllreduce(ranks, chunks)"},
                headers);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "recursive-doubling",
    .summary = "partners at distance 2^i exchange all of their blocks, or sums",
    .source = "CC, Recursive allreduce",
    .collectives = {Collective::allgather, Collective::allreduce},
    .machines = {"duplex"},
    .reason = powers_of_two_only,
    .order = always_in_order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t h = ceil_log2(r.problem.ranks);
          if (r.problem.in_blocks()) return all_blocks_once(r.problem, h, "h");
          return CostClaim{.steps = h,
                           .volume = h * r.problem.chunks,
                           .steps_formula = "h",
                           .volume_formula = "h"};
        },
};

}  // namespace schedcc::recursive_doubling_algorithm
