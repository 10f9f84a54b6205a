// Linear: the root serves every rank itself.
//
// Broadcast: the root sends every packet to every rank, the slowest algorithm except for P = 2,
// since its port carries all K(P-1) messages, one a step. The reduction, its reverse, keeps any
// order of operands, since ranks send only their own contributions. Scatter: each rank's block goes
// to it directly, in P - 1 steps; no schedule has less volume, or less at the root's port. With k
// ports a step serves k ranks, so that a packet, or all blocks, take ceil((P - 1)/k) steps.
//
// Source: BL, "Quick Example" (simplest linear broadcast).

#include <fmt/core.h>

#include "algorithm/kernel/trees.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::linear_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const std::uint64_t ports = r.parameters.integer("ports");
  const std::string arguments =
      ports == 1 ? "(ranks, chunks)" : fmt::format("(ranks, chunks, {})", ports);
  const Headers headers{"blocks.hpp", "trees.hpp"};
  if (r.problem.in_blocks())
    return rooted(r, Term<local::LinearScatter>{{P, K, ports}, "LinearScatter" + arguments},
                  headers);
  return rooted(r, Term<local::LinearBroadcast>{{P, K, ports}, "LinearBroadcast" + arguments},
                headers);
}

CostClaim claim(const Request& r) {
  const std::uint64_t ports = r.parameters.integer("ports");
  const std::uint64_t each = ceil_div(r.problem.ranks - 1, ports);
  if (!r.problem.in_blocks())
    return {.steps = r.problem.chunks * each,
            .width = 1,
            .steps_formula = ports == 1 ? "s (P - 1)" : "s ceil((P - 1)/k)"};
  if (ports == 1) return one_block_a_step(r.problem);
  return {.steps = each,
          .volume = each * r.problem.chunks,
          .steps_formula = "ceil((P - 1)/k)",
          .volume_formula = "ceil((P - 1)/k)"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "linear",
    .summary = "the root serves every rank itself",
    .source = "BL, Quick Example",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather},
    .machines = {"duplex", "simplex", "kport:k={ports}"},
    .parameters = {{.name = "ports",
                    .summary = "ranks that the root serves in a step",
                    .min = 1,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "1"}},
    .whole_blocks = true,
    .order = always_in_order,
    .kernel = kernel,
    .scaling = blocks_or_packets,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::linear_algorithm
