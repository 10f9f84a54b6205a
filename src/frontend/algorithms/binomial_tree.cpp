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

#include <algorithm>

#include "frontend/algorithms/knomial_tree.hpp"
#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

Steps scatter(std::uint64_t P, std::uint32_t K) {
  const std::uint32_t lg = ceil_log2(P);
  return every_step(lg, [=](std::uint64_t t, Transfers& out) {
    const std::uint64_t half = std::uint64_t{1} << (lg - 1 - t);
    for (std::uint64_t v = 0, w = half; w < P; v += 2 * half, w += 2 * half) {
      const auto blocks = static_cast<std::uint32_t>(std::min(half, P - w));
      out.push_back(
          copy(static_cast<Rank>(v), static_cast<Rank>(w), static_cast<Chunk>(w * K), blocks * K));
    }
  });
}

Steps build(const Request& r) {
  const auto [P, K] = std::pair(r.problem.ranks, r.problem.chunks);
  return rooted(r.problem, in_blocks(r.problem) ? scatter(P, K) : knomial_tree(P, K, 2));
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
    .whole_blocks = true,
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t lg = ceil_log2(r.problem.ranks);
          return Promise{in_blocks(r.problem) ? lg : lg * r.problem.chunks};
        },
};

}  // namespace schedcc
