// Recursive halving: partners exchange what each other's half of the ranks is to have, and go on
// with their own half.
//
// It is recursive doubling, reversed: first every rank v sends its contributions to the blocks of
// the other half to v xor P/2, then within its half those of the other quarter to v xor P/4, and so
// on. After h = log2 P steps block v is complete at rank v; no port carried more than the K (P - 1)
// chunks that it must.
//
// So operands meet from afar. Where their order matters, bits are taken from the lowest up instead:
// what is combined then belongs to aligned intervals, and what is sent is every 2nd, every 4th, ...
// block, in one message all the same.
//
// Source: CC, Recursive allreduce (its first half).

#include "algorithm/blocks.hpp"
#include "model/algebra.hpp"

namespace schedcc {

namespace {

/// The allgather of which the ordered reduce-scatter is the reverse: before step i rank v has the
/// blocks of the 2^i ranks that differ from it in the highest i bits only.
Steps allgather_from_afar(Rank P, std::uint32_t K) {
  return every_step(ceil_log2(P), [=](std::uint64_t i, Transfers& out) {
    const Rank stride = P >> i;
    for (Rank v = 0; v < P; ++v) {
      for (Rank b = v % stride; b < P; b += stride) {
        out.push_back(copy(v, v ^ (stride / 2), b * K, K));
      }
    }
  });
}

Steps build(const Request& r) {
  const Problem& problem = r.problem;
  return reverse(problem.ordered ? allgather_from_afar(problem.ranks, problem.chunks)
                                 : doubling_allgather(problem.ranks, problem.total_chunks()),
                 true);
}

}  // namespace

extern const Algorithm recursive_halving_algorithm;
const Algorithm recursive_halving_algorithm{
    .name = "recursive-halving",
    .summary = "partners exchange halves, and go on within their own",
    .source = "CC, Recursive allreduce",
    .collectives = {Collective::reduce_scatter},
    .machines = {"duplex"},
    .refuse = powers_of_two_only,
    .order = always_in_order,
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks;
          return Promise{.steps = ceil_log2(P),
                         .volume = r.problem.chunks * (P - 1),
                         .steps_formula = "h",
                         .volume_formula = "P - 1"};
        },
};

}  // namespace schedcc
