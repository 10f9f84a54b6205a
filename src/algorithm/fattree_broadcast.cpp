// Broadcast on a fat tree: routers forward every packet in all directions except its origin.
//
// A packet that leaves the root in step s climbs the root's path, and passes level i in step s + i,
// both upwards and into the other half of that router's subtree, whose leaves it reaches in step s
// + 2i - 1. So all leaves have it after 2h steps. It goes over each branch once and in one
// direction, so that the next packet may follow a step after it; or the next min c_i packets, if
// all branches are that wide: 2h - 1 + ceil(K / min c_i) steps, and no schedule has fewer, since
// the narrowest branch must carry K packets. The reverse is a reduction: routers combine what they
// receive from two sides and send it on to the third.
//
// Source: BFT, section 2.1 ("setting all routing nodes to a broadcast mode"), for one packet.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/fat_tree.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::fattree_broadcast_algorithm {

namespace {

/// The packets that travel together.
std::uint64_t together(const Request& r) {
  const auto& capacities = r.machine.shape<FatTree>()->capacities;
  return std::min<std::uint64_t>(r.problem.chunks, std::ranges::min(capacities));
}

std::uint64_t steps(const Request& r) {
  return 2 * ceil_log2(r.problem.ranks) - 1 + ceil_div(r.problem.chunks, together(r));
}

Steps broadcast(const Request& r) {
  const std::uint64_t n = r.problem.ranks, root = r.problem.root, K = r.problem.chunks;
  const std::uint32_t h = ceil_log2(n);
  return every_step(steps(r), [=, m = together(r)](std::uint64_t t, Transfers& out) {
    FatTreeHops hops(n, out);
    // Calls f(first, count) with the run that left the root `hop` steps ago, if there is one.
    const auto run = [&](std::uint64_t hop, auto f) {
      if (t >= hop && (t - hop) * m < K) f((t - hop) * m, std::min(m, K - (t - hop) * m));
    };
    for (std::uint32_t i = 1; i <= h; ++i) {
      run(i - 1, [&](std::uint64_t first, std::uint64_t count) {
        hops.up(i, root >> (i - 1), first, count);
      });
      for (std::uint32_t j = i; j <= h;
           ++j) {  // into the interval that the router of level j has forwarded
        run(2 * j - i, [&](std::uint64_t first, std::uint64_t count) {
          const std::uint64_t other = (root >> (j - 1)) ^ 1;
          for (std::uint64_t v = other << (j - i); v < (other + 1) << (j - i); ++v)
            hops.down(i, v, first, count);
        });
      }
    }
  });
}

Steps build(const Request& r) {
  return r.problem.collective == Collective::reduce ? reverse_reducing(broadcast(r)) : broadcast(r);
}

/// On the path down to the root a packet has the contributions of all leaves outside the subtree
/// that it enters.
std::optional<std::string> order(const Request& r) {
  const Rank root = r.problem.root, last = r.problem.ranks - 1;
  if (root == 0 || root == last) return std::nullopt;
  return fmt::format(
      "root {} would receive the contributions of ranks 0..{} and {}..{} combined, which are not "
      "an interval of ranks",
      root, root - 1, root + 1, last);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "fattree-broadcast",
    .summary = "routers of a fat tree forward packets in all directions, or combine them",
    .source = "BFT, section 2.1",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"fattree"},
    .order = order,
    .whole_only = "routers forward packets, and its transfers are their hops, too",
    .build = build,
    .claim =
        [](const Request& r) {
          return CostClaim{
              .steps = steps(r),
              .steps_formula = together(r) == 1 ? "2h - 1 + s" : "2h - 1 + ceil(s / least c_i)"};
        },
    .hops = true,
};

}  // namespace schedcc::fattree_broadcast_algorithm
