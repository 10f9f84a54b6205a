// Multinode broadcast on a fat tree without a queue: leaves send a packet again for each distance.
//
// Flooding sends all packets up at once and lets them wait; here each is sent just in time. Every
// leaf receives the packets by distance: first those of its sibling, then those from the other half
// of its subtree of level 2, and so on; phase j are the K 2^(j-1) packets that arrive over level j,
// one a step. A packet that must arrive in step a leaves its leaf in step s = a - 2j + 1, and goes
// up to level j, over to the other half, and there to all leaves, without waiting. So each packet
// is sent again in every phase, h times by its leaf.
//
// In phase j the leaf that sends in step s is the one whose number within its subtree of level j -
// 1 is floor(s/K) mod 2^(j-1), with packet s mod K. The phases overlap consistently: of the leaves
// below any router the larger phase picks the one that the smaller phase picks, and the same
// packet, so that at most one packet a step goes up over a branch, and if two phases need it, it
// goes once, and the router copies it. Downwards phases do not meet, since they arrive one after
// another.
//
// All leaves receive in step 1 and every later step, except for the step that is lost with K = 1
// after the sibling's packet: max(K(n-1) + 1, K(n-2) + 3) steps, n + 1 for K = 1, on any
// capacities. That is the lower bound, so that queues gain nothing.
//
// Source: BFT poses the problem (sections 4.1 and 6), citing a technical report for n + 2 log n - 2
// steps; this construction is schedcc's own.

#include "algorithm/fat_tree.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::queueless_algorithm {

namespace {

class Queueless {
 public:
  Queueless(std::uint64_t n, std::uint64_t K) : n_(n), K_(K), h_(ceil_log2(n)) {}

  void step(std::uint64_t t, Transfers& out) const {
    FatTreeHops hops(n_, out);
    for (std::uint32_t i = 1; i <= h_; ++i) {
      if (t + 1 >= i) up(hops, i, t + 1 - i);
      down(hops, i, t + i - 1);
    }
  }

 private:
  /// The step in which the first packet of phase j arrives.
  std::uint64_t first(std::uint32_t j) const {
    const std::uint64_t lost = K_ == 1 && j > 1 ? 1 : 0;
    return K_ * ((std::uint64_t{1} << (j - 1)) - 1) + 1 + lost;
  }
  bool arrives(std::uint32_t j, std::uint64_t a) const {
    return a >= first(j) && a - first(j) < K_ << (j - 1);
  }
  /// The chunk that subtree v of level l sends in step s.
  std::uint64_t chunk(std::uint32_t l, std::uint64_t v, std::uint64_t s) const {
    return ((v << l) + turn(l, s)) * K_ + s % K_;
  }
  /// The leaf that sends in a subtree of level l.
  std::uint64_t turn(std::uint32_t l, std::uint64_t s) const {
    return s / K_ % (std::uint64_t{1} << l);
  }

  /// The packets that the leaves sent in step s go up over level i, if a phase j >= i needs them:
  /// in each subtree of level j - 1 from one of its subtrees of level i - 1. The least j has all
  /// the others.
  void up(FatTreeHops& hops, std::uint32_t i, std::uint64_t s) const {
    for (std::uint32_t j = i; j <= h_; ++j) {
      if (!arrives(j, s + 2 * j - 1)) continue;
      for (std::uint64_t v = turn(j - 1, s) >> (i - 1); v < n_ >> (i - 1);
           v += std::uint64_t{1} << (j - i))
        hops.up(i, v, chunk(i - 1, v, s));
      return;
    }
  }

  /// The packets that arrive at the leaves in step a go down over level i, if they came from that
  /// level or above.
  void down(FatTreeHops& hops, std::uint32_t i, std::uint64_t a) const {
    for (std::uint32_t j = i; j <= h_; ++j) {
      if (!arrives(j, a)) continue;
      for (std::uint64_t v = 0; v < n_ >> (i - 1); ++v)
        hops.down(i, v, chunk(j - 1, v >> (j - i) ^ 1, a - 2 * j + 1));
      return;
    }
  }

  std::uint64_t n_, K_;
  std::uint32_t h_;
};

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "queueless",
    .summary = "multinode broadcast on a fat tree; no packet waits, leaves send each several times",
    .source = "BFT, section 4.1, which cites n + 2 log n - 2 steps; the construction is schedcc's",
    .collectives = {Collective::allgather},
    .machines = {"fattree"},
    .whole_only = "routers forward packets, and its transfers are their hops, too",
    .build =
        [](const Request& r) {
          const Queueless queueless(r.problem.ranks, r.problem.chunks);
          return every_step(
              leaf_steps(r.problem.ranks, r.problem.chunks),
              [queueless](std::uint64_t t, Transfers& out) { queueless.step(t, out); });
        },
    .claim = [](const Request& r) { return leaf_claim(r.problem.ranks, r.problem.chunks); },
    .hops = true,
};

}  // namespace schedcc::queueless_algorithm
