// Scatter on a fat tree: the packets with the longest routes leave first.
//
// The root's branch carries a packet a step, and no two packets ever meet: those for one subtree
// follow one another, and those for different subtrees diverge before they could meet. The last
// packet for the leaves at distance 2i leaves as number K (n - 2^(i-1)) and arrives 2i - 1 steps
// later; the latest are those for i = 1 or 2: max(K(n-1) + 1, K(n-2) + 3) steps in all, n + 1 for K
// = 1. A gather is a scatter in reverse: packets that would arrive in a step counted from the end
// leave in that step counted from the beginning.
//
// Leaf d becomes d xor root, a symmetry of the tree that makes the root leaf 0.
//
// Source: BFT, section 3, Theorem 1, for K = 1.

#include <utility>

#include "algorithm/fat_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::furthest_first_algorithm {

namespace {

/// Packet number s of a scatter, in the order in which they leave the root.
Transfer packet(Rank n, Rank root, std::uint32_t K, std::uint64_t s) {
  const Rank d = static_cast<Rank>(n - 1 - s / K) ^ root;
  return copy(root, d, d * K + static_cast<std::uint32_t>(s % K));
}

Steps scatter(Rank n, Rank root, std::uint32_t K) {
  return every_step(std::uint64_t{K} * (n - 1),
                    [=](std::uint64_t t, Transfers& out) { out.push_back(packet(n, root, K, t)); });
}

/// A packet for a leaf at distance 2i that leaves in step s of a scatter of T steps arrives in step
/// s + 2i - 1, so that here it leaves in step T - s - 2i.
Steps gather(Rank n, Rank root, std::uint32_t K) {
  const std::uint64_t T = leaf_steps(n, K);
  return every_step(T - 1, [=](std::uint64_t t, Transfers& out) {
    for (std::uint32_t i = 1; t + 2 * i <= T && (n >> i) != 0; ++i) {
      const std::uint64_t s = T - t - 2 * i;
      if (s >= std::uint64_t{K} * (n - 1)) continue;
      Transfer p = packet(n, root, K, s);
      if (ceil_log2(std::uint64_t{p.dst ^ root} + 1) != i) continue;  // its distance is another
      std::swap(p.src, p.dst);
      out.push_back(p);
    }
  });
}

Steps build(const Request& r) {
  const Problem& p = r.problem;
  return (p.collective == Collective::gather ? gather : scatter)(p.ranks, p.root, p.chunks);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "furthest-first",
    .summary = "scatter on a fat tree, the furthest leaves first",
    .source = "BFT, section 3, Theorem 1",
    .collectives = {Collective::scatter, Collective::gather},
    .machines = {"fattree"},
    .reason = powers_of_two_only,
    .whole_only =
        "its packets leave the root in an order that is made for the links of the whole tree",
    .build = build,
    .claim = [](const Request& r) { return leaf_claim(r.problem.ranks, r.problem.chunks); },
};

}  // namespace schedcc::furthest_first_algorithm
