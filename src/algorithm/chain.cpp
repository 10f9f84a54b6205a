// The chain: every rank forwards packets to the next one.
//
// With duplex ports a rank passes packet j on while it receives packet j + 1: P - 2 + K steps. A
// simplex rank cannot, so packets follow at a distance of two steps and even and odd edges of the
// chain alternate: edge v -> v + 1 carries packet j in step v + 2j, P - 3 + 2K steps for P >= 3.
// (For P = 2 no rank forwards, and K steps suffice.)
//
// Source: FT, section 2 ("Two Simple Pipelined Algorithms"); BL, "Very Large Message Broadcast".

#include "algorithm/kernel/chain.hpp"

#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

// Duplex ranks send in the first half of a step and receive in the second, or vice versa, and
// alternate from step to step (see fractional_tree.cpp): every other edge has the first half.
Steps from_kernel(const local::Chain& kernel, std::uint64_t) {
  return every_step(kernel.steps(), [kernel](std::uint64_t step, Transfers& out) {
    const local::Ranks senders = kernel.senders(step);
    if (kernel.gap() > 1) return append_sends(kernel, senders, step, out);
    const std::uint64_t odd = (step - senders.first) % 2;
    append_sends(kernel, {senders.first + odd, senders.end, 2}, step, out);
    append_sends(kernel, {senders.first + 1 - odd, senders.end, 2}, step, out);
  });
}

}  // namespace schedcc

namespace schedcc::chain_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t gap = chain_gap(r.machine);
  return rooted(r,
                Term<local::Chain>{{r.problem.ranks, r.problem.chunks, gap},
                                   fmt::format("Chain(ranks, chunks, {})", gap)},
                {"chain.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "chain",
    .summary = "every rank forwards packets to the next one",
    .source = "FT, section 2; BL, Very Large Message Broadcast",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .other_on_simplex = true,
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, s = r.problem.chunks;
          if (r.machine.simplex() && P > 2)
            return CostClaim{.steps = P - 3 + 2 * s, .width = 1, .steps_formula = "P - 3 + 2s"};
          return CostClaim{.steps = P - 2 + s, .width = 1, .steps_formula = "P - 2 + s"};
        },
};

}  // namespace schedcc::chain_algorithm
