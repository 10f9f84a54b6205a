// Recursive halving: partners exchange the contributions for each other's half of the ranks, and
// continue with their own half.
//
// It is recursive doubling, reversed: first every rank v sends its contributions to the blocks of
// the other half to v xor P/2, then within its half those of the other quarter to v xor P/4, and so
// on. After h = log2 P steps block v is complete at rank v; no port carried more than the K (P - 1)
// chunks that it must.
//
// So operands of distant ranks are combined. If their order matters, bits are taken from the lowest
// up instead: then the sums are over aligned intervals, and the blocks sent are every 2nd, every
// 4th, ... block, still in one message.
//
// Source: CC, Recursive allreduce (its first half).

#include "algorithm/doubling.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::recursive_halving_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Headers headers{"blocks.hpp", "doubling.hpp"};
  if (!r.problem.ordered) return result(r, reverse_reducing(doubling_allgather(r)), headers);
  // Before step i rank v has the blocks of the 2^i ranks that differ from it in the highest i bits.
  const Term<local::DoublingHighestFirst> allgather{{r.problem.ranks, r.problem.chunks},
                                                    "DoublingHighestFirst(ranks, chunks)"};
  return result(r, reverse_reducing(allgather), headers);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "recursive-halving",
    .summary = "partners exchange halves, and continue within their own",
    .source = "CC, Recursive allreduce",
    .collectives = {Collective::reduce_scatter},
    .machines = {"duplex"},
    .reason = powers_of_two_only,
    .order = always_in_order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          return all_blocks_once(r.problem, ceil_log2(r.problem.ranks), "h");
        },
};

}  // namespace schedcc::recursive_halving_algorithm
