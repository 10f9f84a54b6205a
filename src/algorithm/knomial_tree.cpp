// The k-nomial tree: every holder cuts its interval of ranks into k pieces, keeps the first and
// sends to the first ranks of the others, one a step; all continue within their pieces.
//
// On level i of m = ceil(log_k P) a part has k^(m-i) ranks; its holder v sends to v + j k^(m-i-1)
// in the level's step j = 1..k-1. The top level has only c = ceil(P / k^(m-1)) pieces beyond the
// root's, so one packet takes c + (k-1)(m-1) <= (k-1) ceil(log_k P) steps, in all of which the root
// sends; several packets follow one another. k = 2 is the binomial tree, k >= P the linear one.
// With p ports a step has p of a level's steps: ceil(c/p) + ceil((k-1)/p) (m-1) steps for a packet.
//
// Source: BL, "Faster Trees?".

#include "algorithm/knomial_tree.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"

namespace schedcc {

local_terms::Term<local::KnomialTree> knomial_tree(const LocalRequest& r, std::uint64_t k,
                                                   std::uint64_t ports) {
  local_terms::require_product(k, r.problem.ranks, "k P");
  return {{r.problem.ranks, r.problem.chunks, k, ports},
          ports == 1 ? fmt::format("KnomialTree(ranks, chunks, {})", k)
                     : fmt::format("KnomialTree(ranks, chunks, {}, {})", k, ports)};
}

}  // namespace schedcc

namespace schedcc::knomial_tree_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return rooted(r, knomial_tree(r, r.parameters.integer("k"), r.parameters.integer("ports")),
                {"blocks.hpp", "trees.hpp"});
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, s = r.problem.chunks;
  const std::uint64_t ports = r.parameters.integer("ports");
  const std::uint64_t k = std::min(r.parameters.integer("k"), P), levels = ceil_log(k, P);
  const std::uint64_t c = ceil_div(P, power(k, levels - 1)) - 1;
  return {.steps = s * (ceil_div(c, ports) + ceil_div(k - 1, ports) * (levels - 1)),
          .width = 1,
          .steps_formula = ports == 1 ? "s (c + (k - 1) (log_k P - 1))"
                                      : "s (ceil(c/p) + ceil((k - 1)/p) (log_k P - 1))"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "knomial-tree",
    .summary = "every holder cuts its interval of ranks into k pieces and sends to k - 1 of them",
    .source = "BL, Faster Trees?",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex", "kport:k={ports}"},
    .parameters = {{.name = "k",
                    .summary = "pieces; the default, the binomial tree, needs the fewest steps",
                    .min = 2,
                    .max = UINT32_MAX,
                    .default_value = "2"},
                   {.name = "ports",
                    .summary = "ranks to which a rank sends in a step",
                    .min = 1,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "1"}},
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .scaling = blocks_or_packets,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::knomial_tree_algorithm
