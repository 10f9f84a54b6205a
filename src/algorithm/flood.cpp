// Multinode broadcast on a fat tree by flooding: routers forward every packet in all directions
// except its origin, as soon as a link is free.
//
// All leaves send at once, so that packets wait; each branch carries one packet a step, for any
// capacity, as in the tree of constant capacities.
//
// Up: a router of level i - 1 receives two packets a step and sends one, for K 2^(i-1) consecutive
// steps, starting with step i - 1. Alternating between its two sides, it sends the leaves' packets
// in the order of their reversed bits.
//
// Down: the branch into a subtree of level i - 1 carries the packets from the other half of the
// tree below its router, starting in step i, and then those from above, again the nearest first; no
// step is lost, since the first packet from above has arrived by then. (Except for i = 1 and K = 1:
// the sibling's one packet arrives in step 1, the next in step 3.) The order of packets changes
// neither the times at which a link is busy nor the length of its queue, as long as it is never
// idle while packets wait; nearest first has the simplest formula.
//
// In all this takes max(K(n-1) + 1, K(n-2) + 3) steps, n + 1 for K = 1. For K = 1 and 0 < i < h the
// queues grow to 2^(i-1) packets at a link up from level i, and to 2^(i-1) - 2 at one down (none
// for i = 1); at the root there are none.
//
// Source: BFT, section 4, Theorem 2; 4.1 for the queues.

#include <bit>
#include <optional>

#include "algorithm/fat_tree.hpp"
#include "algorithm/kernel/doubling.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::flood_algorithm {

namespace {

/// Packet number p upwards out of subtree v of level l.
struct UpwardPacket {
  std::uint32_t l;
  std::uint64_t leaf, packet, K;
  UpwardPacket(std::uint32_t level, std::uint64_t p, std::uint64_t chunks)
      : l(level),
        leaf(local::reversed_bits(p % (std::uint64_t{1} << level), level)),
        packet(p >> level),
        K(chunks) {}
  std::uint64_t chunk(std::uint64_t v) const { return ((v << l) + leaf) * K + packet; }
};

/// The packet that goes down over level i in step t, if any. They are counted by distance: numbers
/// K 2^(j-1) .. K 2^j - 1 are those of level j, and go down there and below.
std::optional<std::uint64_t> downward(std::uint32_t i, std::uint64_t t, std::uint64_t K) {
  if (t < i) return std::nullopt;
  const std::uint64_t number = (K << (i - 1)) + t - i;
  if (i > 1 || K > 1 || t == 1) return number;
  return t == 2 ? std::nullopt : std::optional(number - 1);
}

Steps flood(std::uint64_t n, std::uint64_t K) {
  const std::uint32_t h = ceil_log2(n);
  return every_step(leaf_steps(n, K), [=](std::uint64_t t, Transfers& out) {
    FatTreeHops hops(n, out);
    for (std::uint32_t i = 1; i <= h; ++i) {
      const std::uint64_t below = K << (i - 1);  // packets from a subtree of level i - 1
      const std::uint64_t subtrees = n >> (i - 1);
      if (t + 1 >= i && t + 1 - i < below) {
        const UpwardPacket up(i - 1, t + 1 - i, K);
        for (std::uint64_t v = 0; v < subtrees; ++v) hops.up(i, v, up.chunk(v));
      }
      const auto number = downward(i, t, K);
      if (!number || *number >= K * n) continue;
      const auto j = static_cast<std::uint32_t>(std::bit_width(*number / K));
      const UpwardPacket sent(j - 1, *number - (K << (j - 1)), K);
      for (std::uint64_t v = 0; v < subtrees; ++v) hops.down(i, v, sent.chunk(v >> (j - i) ^ 1));
    }
  });
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "flood",
    .summary = "multinode broadcast on a fat tree; routers forward every packet",
    .source = "BFT, section 4, Theorem 2",
    .collectives = {Collective::allgather},
    .machines = {"fattree"},
    .whole_only = "routers forward packets, and its transfers are their hops, too",
    .build = [](const Request& r) { return flood(r.problem.ranks, r.problem.chunks); },
    .claim = [](const Request& r) { return leaf_claim(r.problem.ranks, r.problem.chunks); },
    .hops = true,
    .queues =
        [](const Request& r) {
          std::vector<std::uint64_t> claimed;  // for messages of one packet
          for (Rank half = 1; half < r.problem.ranks && r.problem.chunks == 1; half *= 2)
            claimed.push_back(half);
          return claimed;
        },
};

}  // namespace schedcc::flood_algorithm
