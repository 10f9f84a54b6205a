// The chain: packets run through all ranks, one behind the other.
//
// With duplex ports a rank passes packet j on while it receives packet j + 1: P - 2 + K steps. A
// simplex rank cannot, so packets follow at a distance of two steps and even and odd edges of the
// chain take turns: edge v -> v + 1 carries packet j in step v + 2j, P - 3 + 2K steps for P >= 3.
// (For P = 2 nobody forwards anything, and K steps do.)
//
// Source: FT, section 2 ("Two Simple Pipelined Algorithms"); BL, "Very Large Message Broadcast".

#include <algorithm>

#include "algorithm/closed_forms.hpp"
#include "algorithm/fractional_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

bool simplex(const Request& r) { return r.machine.name == "simplex" && r.problem.ranks >= 3; }

Steps simplex_chain(std::uint64_t P, std::uint64_t K) {
  return every_step(closed::simplex_chain_steps(P, K), [=](std::uint64_t t, Transfers& out) {
    // All v with 0 <= v <= P - 2 and v + 2j = t for a packet 0 <= j <= K - 1.
    const std::uint64_t oldest = 2 * (K - 1);
    for (std::uint64_t v = t > oldest ? t - oldest : t % 2; v <= std::min(t, P - 2); v += 2) {
      out.push_back(copy(static_cast<Rank>(v), static_cast<Rank>(v + 1),
                         static_cast<Chunk>(closed::simplex_chain_packet(t, v))));
    }
  });
}

Steps build(const Request& r) {
  const auto [P, K] = std::pair(r.problem.ranks, r.problem.chunks);
  return rooted(r.problem, simplex(r) ? simplex_chain(P, K) : fractional_tree(P, K, P - 1));
}

}  // namespace

extern const Algorithm chain_algorithm;
const Algorithm chain_algorithm{
    .name = "chain",
    .summary = "packets run through all ranks, one behind the other",
    .source = "FT, section 2; BL, Very Large Message Broadcast",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          return Promise{.steps = simplex(r) ? closed::simplex_chain_steps(P, K) : P - 2 + K,
                         .width = 1,
                         .steps_formula = simplex(r) ? "P - 3 + 2s" : "P - 2 + s"};
        },
};

}  // namespace schedcc
