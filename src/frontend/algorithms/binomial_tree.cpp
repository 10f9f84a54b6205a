// The binomial tree: every rank that has the data halves the part of the ranks that it is
// responsible for, and hands over one half.
//
// Rank v, a multiple of 2^m, is responsible for v .. v + 2^m - 1. In its step it sends to v +
// 2^(m-1) what the upper half needs: the packet (broadcast), or the blocks of that half (scatter).
// So after lg = ceil(log2 P) steps everybody is served; several packets follow one another, K lg
// steps. Halving, rather than doubling, makes every subtree an interval of ranks: scatter sends one
// run, and the reversed broadcast can reduce in order.
//
// Source: BL, "Faster Trees?" (k = 2); CC, "Binomial broadcast trees in a butterfly".

#include "frontend/algorithms/blocks.hpp"

namespace schedcc {

namespace {

Steps broadcast(std::uint64_t P, std::uint64_t K) {
  const std::uint32_t lg = ceil_log2(P);
  return every_step(K * lg, [=](std::uint64_t t, Transfers& out) {
    const std::uint64_t half = std::uint64_t{1} << (lg - 1 - t % lg);
    for (std::uint64_t v = 0; v + half < P; v += 2 * half) {
      out.push_back(
          copy(static_cast<Rank>(v), static_cast<Rank>(v + half), static_cast<Chunk>(t / lg)));
    }
  });
}

bool in_blocks(const Problem& problem) { return info(problem.collective).blocks > 0; }

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  return rooted(r.problem, in_blocks(r.problem) ? tree_scatter(P, r.problem.total_chunks(), 2)
                                                : broadcast(P, r.problem.chunks));
}

}  // namespace

extern const Algorithm binomial_tree_algorithm;
const Algorithm binomial_tree_algorithm{
    .name = "binomial-tree",
    .summary = "every holder hands over half of its part of the ranks",
    .source = "BL, Faster Trees?; CC, Binomial broadcast trees",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather},
    .machines = {"duplex", "simplex"},
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t lg = ceil_log2(r.problem.ranks);
          return Promise{in_blocks(r.problem) ? lg : lg * r.problem.chunks};
        },
};

}  // namespace schedcc
