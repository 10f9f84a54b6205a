// Pairwise exchange: in step t every rank r sends its block for rank r + t + 1 directly.
//
// The steps are the P - 1 rotations, so each is a permutation, every port carries a block in every
// step, and no block is sent twice: optimal in volume, P - 1 steps. With k ports a step has k of
// the rotations: rank r sends to the ranks r + kt + 1 .. r + kt + k, in ceil((P - 1)/k) steps.
//
// Source: BFT, section 5 (total exchange as permutations), on a complete network; Bruck et al.
// 1997, doi 10.1109/71.642949 (k ports).

#include <fmt/core.h>

#include "algorithm/kernel/exchange.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::pairwise_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t ports = r.parameters.integer("ports");
  return result(
      r,
      Term<local::Pairwise>{{r.problem.ranks, r.problem.chunks, ports},
                            ports == 1 ? std::string("Pairwise(ranks, chunks)")
                                       : fmt::format("Pairwise(ranks, chunks, {})", ports)},
      {"exchange.hpp"});
}

CostClaim claim(const Request& r) {
  const std::uint64_t ports = r.parameters.integer("ports");
  if (ports == 1) return one_block_a_step(r.problem);
  const std::uint64_t steps = ceil_div(r.problem.ranks - 1, ports);
  return {.steps = steps,
          .volume = steps * r.problem.chunks,
          .steps_formula = "ceil((P - 1)/k)",
          .volume_formula = "ceil((P - 1)/k)"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "pairwise",
    .summary = "in step t rank r sends to rank r + t + 1",
    .source = "BFT, section 5, on a complete network",
    .collectives = {Collective::alltoall},
    .machines = {"duplex", "kport:k={ports}"},
    .parameters = {{.name = "ports",
                    .summary = "ranks to which a rank sends in a step",
                    .min = 1,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "1"}},
    .whole_blocks = true,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::pairwise_algorithm
