// The butterfly broadcast: h binomial trees in a wrapped butterfly, in which packets follow one
// another without a gap.
//
// The root 0 sends packet s to node 2^j, j = s mod h, the root of the j-th tree. From there it
// spreads by bit flips: on level i = 0..h-1 every member of
//     S(i, j) = { 2^j + sum over r in R of 2^((j+r) mod h) : R subset of {1..i} }
// flips bit (j + i + 1) mod h. Bit j is not flipped before the last level, which serves the nodes
// without it (but not the root, node 0). For all packets under way the levels and trees differ so
// that their S(i, j) are disjoint, and in step t all nodes flip the same bit t mod h: an exchange
// along one dimension. Packet s takes the steps s..s+h, hence K + h in all; h = 1 has no last
// level, K steps.
//
// Source: CC, "Optimal broadcast construction" and "Optimal broadcast" (the sets S(i, j)).

#include "algorithm/kernel/butterfly.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

// By level, then by the subset R.
Steps from_kernel(const local::Butterfly& kernel, std::uint64_t P) {
  const std::uint64_t h = ceil_log2(P), K = kernel.packets();
  return every_step(kernel.steps(), [h, K](std::uint64_t t, Transfers& out) {
    const auto bit = static_cast<Rank>(Rank{1} << local::butterfly_bit(t, h));
    if (t < K) out.push_back(copy(0, bit, static_cast<Chunk>(t)));
    for (std::uint64_t i = 0; i < h; ++i) {
      if (!local::butterfly_on_level(t, i, K)) continue;
      const std::uint64_t s = local::butterfly_packet(t, i);
      for (std::uint64_t R = 0; R < local::butterfly_subsets(i); ++R) {
        const auto sender = static_cast<Rank>(local::butterfly_member(s, R, h));
        if ((sender ^ bit) != 0) out.push_back(copy(sender, sender ^ bit, static_cast<Chunk>(s)));
      }
    }
  });
}

}  // namespace schedcc

namespace schedcc::butterfly_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return rooted(
      r, Term<local::Butterfly>{{r.problem.ranks, r.problem.chunks}, "Butterfly(ranks, chunks)"},
      {"butterfly.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "butterfly",
    .summary = "h binomial trees in a wrapped butterfly, one packet a step",
    .source = "CC, Optimal broadcast construction",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .reason = powers_of_two_only,
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t h = ceil_log2(r.problem.ranks), s = r.problem.chunks;
          if (h == 1) return CostClaim{.steps = s, .width = 1, .steps_formula = "s"};
          return CostClaim{.steps = s + h, .width = 1, .steps_formula = "s + h"};
        },
};

}  // namespace schedcc::butterfly_algorithm
