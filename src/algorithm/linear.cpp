// Linear: the root serves every rank itself.
//
// Broadcast: the root sends every packet to every rank, the worst way but for P = 2, since its port
// carries all K(P-1) messages, one a step. The reduction, its reverse, keeps any order of operands,
// for ranks send nothing but their own contributions. Scatter: each rank's block goes to it
// directly, in P - 1 steps; no way carries less in all, and no port less than the root's.
//
// Source: BL, "Quick Example" (simplest linear broadcast).

#include "algorithm/closed_forms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

Steps broadcast(std::uint64_t P, std::uint64_t K) {
  return every_step(K * (P - 1), [P](std::uint64_t t, Transfers& out) {
    out.push_back(copy(0, static_cast<Rank>(1 + closed::serial_place(t, P - 1)),
                       static_cast<Chunk>(closed::serial_packet(t, P - 1))));
  });
}

Steps scatter(Rank P, std::uint32_t K) {
  return every_step(P - 1, [K](std::uint64_t t, Transfers& out) {
    const auto rank = static_cast<Rank>(t + 1);
    out.push_back(copy(0, rank, rank * K, K));
  });
}

}  // namespace

extern const Algorithm linear_algorithm;
const Algorithm linear_algorithm{
    .name = "linear",
    .summary = "the root serves every rank itself",
    .source = "BL, Quick Example",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather},
    .machines = {"duplex", "simplex"},
    .whole_blocks = true,
    .order = always_in_order,
    .build =
        [](const Request& r) {
          const auto [P, K] = std::pair(r.problem.ranks, r.problem.chunks);
          return rooted(r.problem, in_blocks(r.problem) ? scatter(P, K) : broadcast(P, K));
        },
    .promise =
        [](const Request& r) {
          const std::uint64_t others = r.problem.ranks - 1;
          const bool blocks = in_blocks(r.problem);
          const std::uint64_t K = r.problem.chunks;
          if (!blocks)
            return Promise{.steps = others * K, .width = 1, .steps_formula = "s (P - 1)"};
          return Promise{.steps = others,
                         .volume = others * K,
                         .steps_formula = "P - 1",
                         .volume_formula = "P - 1"};
        },
};

}  // namespace schedcc
