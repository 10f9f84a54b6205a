// The k-nomial tree: every holder cuts its interval of ranks into k pieces, keeps the first and
// sends to the first ranks of the others, one a step; all continue within their pieces.
//
// On level i of m = ceil(log_k P) a part has k^(m-i) ranks; its holder v sends to v + j k^(m-i-1)
// in the level's step j = 1..k-1. The top level has only c = ceil(P / k^(m-1)) pieces beyond the
// root's, so one packet takes c + (k-1)(m-1) <= (k-1) ceil(log_k P) steps, in all of which the root
// sends; several packets follow one another. k = 2 is the binomial tree, k >= P the linear one.
//
// Source: BL, "Faster Trees?".

#include "algorithm/knomial_tree.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"

namespace schedcc {

local_terms::Term<local::KnomialTree> knomial_tree(const LocalRequest& r, std::uint64_t k) {
  local_terms::require_product(k, r.problem.ranks, "k P");
  return {{r.problem.ranks, r.problem.chunks, k}, fmt::format("KnomialTree(ranks, chunks, {})", k)};
}

}  // namespace schedcc

namespace schedcc::knomial_tree_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return rooted(r, knomial_tree(r, r.parameters.integer("k")), {"blocks.hpp", "trees.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "knomial-tree",
    .summary = "every holder cuts its interval of ranks into k pieces and sends to k - 1 of them",
    .source = "BL, Faster Trees?",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .parameters = {{.name = "k",
                    .summary = "pieces; the default, the binomial tree, needs the fewest steps",
                    .min = 2,
                    .max = UINT32_MAX,
                    .default_value = "2"}},
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, s = r.problem.chunks;
          const std::uint64_t k = std::min(r.parameters.integer("k"), P), levels = ceil_log(k, P);
          const std::uint64_t c = ceil_div(P, power(k, levels - 1)) - 1;
          return CostClaim{.steps = s * (c + (k - 1) * (levels - 1)),
                           .width = 1,
                           .steps_formula = "s (c + (k - 1) (log_k P - 1))"};
        },
};

}  // namespace schedcc::knomial_tree_algorithm
