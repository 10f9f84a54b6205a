// Recursive doubling: in step i ranks that differ in bit i exchange everything that they have.
//
// Before step i rank r has the blocks (the sum) of the 2^i ranks that agree with it in the bits
// from i on, an aligned interval; its partner r xor 2^i has the neighbouring one. After h = log2 P
// steps the interval is everything. Since both partners combine neighbouring intervals, the
// allreduce keeps the order of operands.
//
// Source: CC, Recursive allreduce (its allgather half, and the latency-optimal variant of the
// whole).

#include "algorithm/blocks.hpp"

namespace schedcc {

namespace {

Steps allreduce(Rank P, std::uint32_t K) {
  return every_step(ceil_log2(P), [=](std::uint64_t i, Transfers& out) {
    for (Rank v = 0; v < P; ++v) out.push_back(transfer(v, v ^ (Rank{1} << i), 0, K, true));
  });
}

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  return r.problem.reduction() ? allreduce(P, r.problem.chunks)
                               : doubling_allgather(P, r.problem.total_chunks());
}

}  // namespace

extern const Algorithm recursive_doubling_algorithm;
const Algorithm recursive_doubling_algorithm{
    .name = "recursive-doubling",
    .summary = "partners at distance 2^i exchange all that they have",
    .source = "CC, Recursive allreduce",
    .collectives = {Collective::allgather, Collective::allreduce},
    .machines = {"duplex"},
    .refuse = powers_of_two_only,
    .order = always_in_order,
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t h = ceil_log2(r.problem.ranks), K = r.problem.chunks;
          const bool blocks = in_blocks(r.problem);
          return Promise{.steps = h,
                         .volume = K * (blocks ? r.problem.ranks - 1 : h),
                         .steps_formula = "h",
                         .volume_formula = blocks ? "P - 1" : "h"};
        },
};

}  // namespace schedcc
