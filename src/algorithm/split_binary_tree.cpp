// The split binary tree: each half of the message goes down one half of a binary tree, then the
// two halves of the ranks exchange theirs.
//
// Counted from the root, v = 1, 2, ..., P - 1, rank v of level l = floor(log2(v + 1)) has the
// children v + 2^l and v + 2 2^l. All odd v are below rank 1, all even ones below rank 2. The first
// ceil(K/2) packets go to rank 1, in every other step, the others to rank 2 between them. Every
// rank receives a packet every two steps and sends it to its two children, so all ports are busy.
// Then v = 1, 3, 5, ... exchange their halves with v + 1, a message each; if P is even the last one
// gets the other half from the root.
//
// Steps: at most K + 2 (lg - 2) for the trees (P > 4), and one for the exchange, of K/2 chunks.
// Exchanges that begin earlier would block the ports of the trees.
//
// Source: Open MPI's coll/tuned (split binary tree); J. Pjesivac-Grbovic et al., "Performance
// Analysis of MPI Collective Operations", Cluster Computing 10 (2007),
// doi 10.1007/s10586-007-0012-0.

#include <algorithm>
#include <bit>

#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::split_binary_tree_algorithm {

namespace {

/// Packets of the ranks with odd numbers (half 0), and of those with even ones.
std::uint32_t packets(std::uint32_t K, std::uint64_t half) { return half == 0 ? K - K / 2 : K / 2; }

std::uint64_t period(std::uint64_t P) { return P == 2 ? 1 : 2; }

/// The step in which rank v >= 1 receives the first packet of its half. Its place in its level has
/// a bit for each ancestor, which is set if the path goes to the second child.
std::uint64_t arrival(std::uint64_t v) {
  const auto level = static_cast<std::uint64_t>(std::bit_width(v + 1)) - 1;
  const std::uint64_t place = v + 1 - (std::uint64_t{1} << level);
  return level - 1 + static_cast<std::uint64_t>(std::popcount(place));
}

/// The latest arrival in a half; 0 if it is empty, which is that of rank 1, too.
std::uint64_t latest(std::uint64_t P, std::uint64_t half) {
  std::uint64_t result = 0;
  // In the last level some places are left out: the most bits are set in the last one, or in one
  // that has a 0 for one of its bits and ones below.
  for (std::uint64_t last : {P - 1, std::bit_floor(P) - 2}) {
    if (last % 2 == half && last > 0) --last;
    if (last == 0 || last >= P) continue;
    const auto level = static_cast<std::uint64_t>(std::bit_width(last + 1)) - 1;
    const std::uint64_t first = (std::uint64_t{1} << level) - 1, place = last - first;
    result = std::max(result, arrival(last));
    for (std::uint64_t bit = 1; bit < level; ++bit) {
      if ((place >> bit & 1) == 0) continue;
      const std::uint64_t ones = (std::uint64_t{1} << bit) - 1;
      const std::uint64_t other = (place >> (bit + 1) << (bit + 1)) | ones;
      std::uint64_t v = first + other;
      if (v % 2 == half) --v;
      if (v > 0) result = std::max(result, arrival(v));
    }
  }
  return result;
}

std::uint64_t tree_steps(std::uint64_t P, std::uint32_t K) {
  std::uint64_t steps = 0;
  for (std::uint64_t half = 0; half < 2; ++half) {
    const std::uint64_t n = packets(K, half);
    if (n > 0 && half + 1 < P) steps = std::max(steps, latest(P, half) + 1 + period(P) * (n - 1));
  }
  return steps;
}

Steps tree(std::uint64_t P, std::uint64_t half, std::uint64_t K) {
  std::vector<Send> sends;
  for (std::uint64_t v = 1 + half; v < P; v += 2) {
    const std::uint64_t distance = std::bit_floor(v + 1) / 2;
    const std::uint64_t place = v + 1 - 2 * distance;
    const std::uint64_t parent = v <= 2 ? 0 : place < distance ? v - distance : v - 2 * distance;
    sends.push_back({arrival(v), static_cast<Rank>(parent), static_cast<Rank>(v)});
  }
  return pipelined(sends, period(P), K);
}

/// The other halves.
Steps swap(Rank P, std::uint32_t K) {
  return every_step(1, [=](std::uint64_t, Transfers& out) {
    const Run first{0, packets(K, 0)}, second{first.count, packets(K, 1)};
    for (Rank v = 1; v < P; v += 2) {
      const bool alone = v + 1 == P;
      send_run(out, alone ? 0 : v + 1, v, second);
      if (!alone) send_run(out, v, v + 1, first);
    }
  });
}

/// Is there something to exchange?
bool swaps(std::uint64_t P, std::uint32_t K) { return P > 2 || K > 1; }

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  require_memory_for_ranks(P, sizeof(Send), "a split binary tree");
  const Steps second = tree(P, 1, packets(K, 1));
  Steps all =
      parallel({tree(P, 0, packets(K, 0)),
                each_transfer(second, [first = packets(K, 0)](Transfer& t) { t.first += first; })});
  if (swaps(P, K)) all = sequence(std::move(all), swap(P, K));
  return rooted(r.problem, std::move(all));
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "split-binary-tree",
    .summary = "half of the message down each half of a binary tree, which then exchange them",
    .source = "Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = in_tree_order<build>,
    .build = build,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks;
          const std::uint32_t K = r.problem.chunks;
          const std::uint64_t trees = tree_steps(P, K);
          if (!swaps(P, K)) return CostClaim{.steps = trees, .volume = trees, .steps_formula = "s"};
          return CostClaim{.steps = trees + 1,
                           .volume = trees + (P == 2 ? packets(K, 1) : packets(K, 0)),
                           .steps_formula = "s + 2 (lg - 2) + 1 or less"};
        },
};

}  // namespace schedcc::split_binary_tree_algorithm
