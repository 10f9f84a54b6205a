// Recursive doubling: in step i ranks that differ in bit i exchange everything that they have.
//
// Before step i rank r has the blocks (the sum) of the 2^i ranks that agree with it in the bits
// from i on, an aligned interval; its partner r xor 2^i has the neighbouring one. After h = log2 P
// steps the interval is everything. Since both partners combine neighbouring intervals, the
// allreduce keeps the order of operands.
//
// Source: CC, Recursive allreduce (its allgather half, and the latency-optimal variant of the
// whole).

#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  const bool reduce = r.problem.reduction();
  return every_step(ceil_log2(P), [=](std::uint64_t i, Transfers& out) {
    const Rank bit = Rank{1} << i;
    for (Rank v = 0; v < P; ++v) {
      const Rank first = v & ~(bit - 1);  // the blocks first .. first + 2^i - 1
      out.push_back(reduce ? transfer(v, v ^ bit, 0, K, true)
                           : transfer(v, v ^ bit, first * K, bit * K, false));
    }
  });
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
    .promise = [](const Request& r) { return Promise{ceil_log2(r.problem.ranks)}; },
};

}  // namespace schedcc
