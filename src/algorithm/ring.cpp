// The ring: every rank forwards blocks to its successor.
//
// In step t of the allgather rank r sends block r - t to rank r + 1, the block that it received
// last. After P - 1 steps every rank has every block, and each port has carried the least number of
// chunks. Reversed, each block goes backwards around the ring and gathers contributions until it is
// complete at its own rank: reduce-scatter. Both in sequence are the bandwidth-optimal allreduce,
// on a vector of K chunks cut into P blocks (some of them empty if K < P).
//
// Source: BL, "Very Large Message Broadcast" (the pipeline, closed to a ring); CC, Recursive
// allreduce (an allreduce as reduce-scatter and allgather).

#include <algorithm>

#include "algorithm/kernel/ring.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::ring_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Vector v(r);
  return from_allgather(r,
                        Term<local::RingAllgather>{{r.problem.ranks, v.total},
                                                   fmt::format("RingAllgather(ranks, {})", v.text)},
                        {"blocks.hpp", "ring.hpp"});
}

/// Are all blocks but the first and the last empty? The only block of an allreduce of one chunk is
/// the last.
bool middle_empty(const Request& r) {
  if (!r.block_sizes) return r.problem.collective == Collective::allreduce && r.problem.chunks == 1;
  const auto& sizes = *r.block_sizes;
  return std::all_of(sizes.begin() + 1, sizes.end() - 1, [](std::uint32_t n) { return n == 0; });
}

/// Around the ring block b collects rank b + 1 first and rank b last, which wraps before it is
/// complete except for the first and the last block.
std::optional<std::string> order(const Request& r) {
  if (r.problem.ranks <= 2 || middle_empty(r)) return std::nullopt;
  return "contributions are combined around the ring, which wraps from the last rank to rank 0";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "ring",
    .summary = "blocks move around the ring",
    .source = "BL, Very Large Message Broadcast; CC, Recursive allreduce",
    .collectives = {Collective::allgather, Collective::reduce_scatter, Collective::allreduce},
    .machines = {"duplex"},
    .whole_blocks = true,
    .order = order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          if (r.problem.collective != Collective::allreduce) return one_block_a_step(r.problem);
          const std::uint64_t P = r.problem.ranks, once = P - 1;
          return CostClaim{.steps = 2 * once,
                           .volume = 2 * once * ceil_div(r.problem.chunks, P),
                           .steps_formula = "2 (P - 1)",
                           .volume_formula = "2 (P - 1) ceil(s/P) / s"};
        },
};

}  // namespace schedcc::ring_algorithm
