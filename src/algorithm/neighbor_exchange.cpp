// Neighbour exchange: an allgather in P/2 steps, for even P, in which ranks send to their
// neighbours only.
//
// In step 0 the ranks 2i and 2i + 1 exchange their blocks. Then every rank turns to its neighbour
// on the other side and back again, and sends it the pair of blocks that it got in the last step:
// half as many steps as around the ring, and the same P - 1 blocks.
//
// An odd P has no such pairs; libraries take `ring` then.
//
// Source: Chen, Zhang, Zhang, Yuan 2005, "Performance evaluation of allgather algorithms on
// terascale Linux cluster with fast Ethernet".

#include <fmt/core.h>

#include "algorithm/kernel/neighbor.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::neighbor_exchange_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Vector v(r);
  return result(r,
                Term<local::NeighborExchange>{{r.problem.ranks, v.total},
                                              fmt::format("NeighborExchange(ranks, {})", v.text)},
                {"blocks.hpp", "neighbor.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "neighbor-exchange",
    .summary = "neighbours exchange pairs of blocks, on the left and the right in turn",
    .source = "Chen, Zhang, Zhang, Yuan 2005",
    .collectives = {Collective::allgather},
    .machines = {"duplex"},
    .reason = [](const Request& r) -> std::optional<std::string> {
      const Rank P = r.problem.ranks;
      if (P == 1 || P % 2 == 0) return std::nullopt;
      return fmt::format("it needs an even number of ranks, and {} is odd", P);
    },
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) { return all_blocks_once(r.problem, r.problem.ranks / 2, "P/2"); },
};

}  // namespace schedcc::neighbor_exchange_algorithm
