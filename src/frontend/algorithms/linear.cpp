// Linear broadcast: the root sends every packet to every rank itself.
//
// The simplest broadcast, and the worst but for P = 2: the root's port carries all K(P-1) messages,
// one a step. Its reverse is the linear reduction, which keeps any order of operands, since ranks
// send nothing but their own contributions.
//
// Source: BL, "Quick Example" (simplest linear broadcast).

#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

Steps linear(std::uint64_t P, std::uint64_t K) {
  return every_step(K * (P - 1), [P](std::uint64_t t, Transfers& out) {
    out.push_back(copy(0, static_cast<Rank>(1 + t % (P - 1)), static_cast<Chunk>(t / (P - 1))));
  });
}

}  // namespace

extern const Algorithm linear_algorithm;
const Algorithm linear_algorithm{
    .name = "linear",
    .summary = "the root sends every packet to every rank",
    .source = "BL, Quick Example",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .order = always_in_order,
    .build =
        [](const Request& r) {
          return rooted(r.problem, linear(r.problem.ranks, r.problem.chunks));
        },
    .promise =
        [](const Request& r) {
          return Promise{std::uint64_t{r.problem.chunks} * (r.problem.ranks - 1)};
        },
};

}  // namespace schedcc
