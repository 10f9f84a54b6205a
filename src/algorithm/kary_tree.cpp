// The pipelined k-ary tree: every rank forwards every packet to k others.
//
// A rank that receives packet 0 in step t - 1 sends it to its k children in the steps t .. t + k -
// 1, then packet 1, and so on: it receives one packet every k steps and sends in all of them. The
// children start one step after one another, so that N(t) ranks can be reached within t steps,
//     N(t) = 1 + N(t-1) + ... + N(t-k),   N(0) = 1, N(t) = 0 for t < 0,
// and the last packet, which leaves k(K-1) steps after the first, arrives after k(K-1) + D steps, D
// = min { t : N(t) >= P }. k = 1 is the chain, k = 2 the binary tree, k >= lg the binomial tree.
//
// A duplex step is LogP with L = 1, o = 0, g = 1: the tree is that of logp_shapes.cpp, and a rank
// finds its own place in it (kernel/growing_tree.hpp).
//
// Source: BL, "k-ary Tree Broadcast" and "Towards an Optimal Algorithm" (pipelined tree).

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/kernel/growing_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::kary_tree_algorithm {

namespace {

using namespace local_terms;

/// D = min { t : N(t) >= P }.
std::uint64_t depth(std::uint64_t P, std::uint64_t k) {
  if (k == 1) return P - 1;  // as many numbers as ranks
  std::vector<std::uint64_t> N{1};
  while (N.back() < P) {
    std::uint64_t sum = 1;
    for (std::size_t c = 1; c <= std::min<std::uint64_t>(k, N.size()); ++c) sum += N[N.size() - c];
    N.push_back(sum);
  }
  return N.size() - 1;
}

std::uint64_t steps(std::uint64_t P, std::uint64_t K, std::uint64_t k) {
  return k * (K - 1) + depth(P, k);
}

/// The least k with the fewest steps. For k >= lg, D is lg.
std::uint64_t best(std::uint64_t P, std::uint64_t K) {
  std::uint64_t best = 1;
  for (std::uint64_t k = 2; k <= ceil_log2(P); ++k) {
    if (steps(P, K, k) < steps(P, K, best)) best = k;
  }
  return best;
}

std::uint64_t arity(const Parameters& given, std::uint64_t P, std::uint64_t K) {
  return given.has("k") ? given.integer("k") : best(P, K);
}
std::uint64_t arity(const Request& r) {
  return arity(r.parameters, r.problem.ranks, r.problem.chunks);
}

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, k = arity(r.parameters, P, K);
  require_product(K, k, "k K");
  return rooted(r,
                Term<local::GrowingTree>{
                    {P, K, {k}, k}, fmt::format("GrowingTree(ranks, chunks, {{{0}}}, {0})", k)},
                {"flows.hpp", "growing_tree.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "kary-tree",
    .summary = "every rank forwards every packet to k others",
    .source = "BL, k-ary Tree Broadcast",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .parameters = {{.name = "k",
                    .summary = "children of a rank (default: the k with the fewest steps)",
                    .min = 1,
                    .max = UINT32_MAX}},
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, k = arity(r);
          const std::uint64_t D = depth(P, k);
          // Of the root, but for one that it may have in the last step.
          const std::uint64_t children = std::min(k, std::max<std::uint64_t>(D - 1, 1));
          return CostClaim{.steps = steps(P, K, k),
                           .width = 1,
                           .idle = K > 1 && D < k,  // between two packets
                           .busiest = children * K,
                           .steps_formula = "k (s - 1) + D"};
        },
    .choose = [](const Request& r) { return chosen_if_open(r, "k", arity(r)); },
};

}  // namespace schedcc::kary_tree_algorithm
