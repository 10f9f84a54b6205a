// The in-order binary tree: a reduction that keeps the order of operands for every P, packets
// following one another through a binary tree in post-order.
//
// Of the ranks lo .. lo + s - 1 the last is the root; below it are the first floor(s/2) ranks, the
// right part, with their last rank as its root, and the s - 1 - floor(s/2) ranks between, the left
// part. A rank adds its own operand to the left part's sum, and then to the right part's: right +
// (left + own) is in the order of ranks. The depth is floor(log2 P).
//
// A rank receives from its two children in turn, so that packets follow one another every 2 steps
// (P = 2: every step). Rank P - 1 is the root of the tree; it sends the result to any other root,
// the whole message in one more step.
//
// Source: Open MPI's coll/tuned (in-order binary); the tree: J. Pjesivac-Grbovic et al.,
// "Performance Analysis of MPI Collective Operations", Cluster Computing 10 (2007),
// doi 10.1007/s10586-007-0012-0.

#include <fmt/core.h>

#include "algorithm/kernel/in_order_binary.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::in_order_binary_algorithm {

namespace {

/// Appends the edges below the root of a tree, to the right part first, which is larger.
void append_edges(const local::PostOrderTree& tree, std::vector<Send>& sends) {
  for (const local::PostOrderTree& part : {tree.right(), tree.left()}) {
    if (part.s == 0) continue;
    sends.push_back(
        {part.time - 1, static_cast<Rank>(tree.root()), static_cast<Rank>(part.root())});
    append_edges(part, sends);
  }
}

}  // namespace

}  // namespace schedcc::in_order_binary_algorithm

namespace schedcc {

Steps from_kernel(const local::InOrderBroadcast& kernel, std::uint64_t P) {
  require_memory_for_ranks(P, sizeof(Send), "a tree");
  std::vector<Send> sends;
  in_order_binary_algorithm::append_edges({0, P, 0}, sends);
  return pipelined(sends, kernel.period(), kernel.packets());
}

}  // namespace schedcc

namespace schedcc::in_order_binary_algorithm {

namespace {

using namespace local_terms;

/// To rank P - 1, and from there to the root.
Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Term<local::InOrderBroadcast> tree{{P, K}, "InOrderBroadcast(ranks, chunks)"};
  const Term<local::OneMessage> last{{P - 1, r.problem.root, K},
                                     "OneMessage(ranks - 1, root, chunks)"};
  return result(r, sequence(reverse_reducing(tree), last), {"flows.hpp", "in_order_binary.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "in-order-binary",
    .summary = "a pipelined reduction that keeps the order of operands for every P",
    .source = "Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007",
    .collectives = {Collective::reduce},
    .machines = {"duplex"},
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          const std::uint64_t tree = local::InOrderBroadcast(P, K).steps();
          if (r.problem.root == P - 1)
            return CostClaim{.steps = tree, .width = 1, .steps_formula = "D + 2 (s - 1)"};
          return CostClaim{
              .steps = tree + 1, .volume = tree + K, .steps_formula = "D + 2 (s - 1) + 1"};
        },
};

}  // namespace schedcc::in_order_binary_algorithm
