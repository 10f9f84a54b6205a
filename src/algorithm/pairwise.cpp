// Pairwise exchange: in step t every rank r sends its block for rank r + t + 1 directly.
//
// The steps are the P - 1 rotations, so each is a permutation, every port carries a block in every
// step, and no block travels twice: optimal in volume, P - 1 steps.
//
// Source: BFT, section 5 (total exchange as permutations), on a complete network.

#include "algorithm/closed_forms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  return every_step(P - 1, [=](std::uint64_t t, Transfers& out) {
    for (Rank v = 0; v < P; ++v) {
      const auto w = static_cast<Rank>(closed::pairwise_partner<std::uint64_t>(v, t, P));
      out.push_back(copy(v, w, (v * P + w) * K, K));
    }
  });
}

}  // namespace

extern const Algorithm pairwise_algorithm;
const Algorithm pairwise_algorithm{
    .name = "pairwise",
    .summary = "in step t everybody sends to the rank t + 1 further on",
    .source = "BFT, section 5, on a complete network",
    .collectives = {Collective::alltoall},
    .machines = {"duplex"},
    .whole_blocks = true,
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t others = r.problem.ranks - 1;
          return Promise{.steps = others,
                         .volume = others * r.problem.chunks,
                         .steps_formula = "P - 1",
                         .volume_formula = "P - 1"};
        },
};

}  // namespace schedcc
