// The in-order binary tree: a reduction that keeps the order of operands for every P, packets
// following one another through a binary tree in post-order.
//
// Of the ranks lo .. lo + s - 1 the last is the root; below it are the first floor(s/2) ranks, the
// right part, with their last rank as its root, and the s - 1 - floor(s/2) ranks between, the left
// part. A rank adds its own operand to the left part's sum, and then to the right part's: right +
// (left + own) is in the order of ranks. The depth is floor(log2 P).
//
// A rank receives from its two children in turn, so that packets follow one another every 2 steps
// (P = 2: every step). Rank P - 1 is the root of the tree; it sends the result to any other root,
// the whole message in one more step.
//
// Source: Open MPI's coll/tuned (in-order binary); the tree: J. Pjesivac-Grbovic et al.,
// "Performance Analysis of MPI Collective Operations", Cluster Computing 10 (2007),
// doi 10.1007/s10586-007-0012-0.

#include <algorithm>
#include <utility>

#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::in_order_binary_algorithm {

namespace {

/// Calls f(time, from, to) for the edges of the reversed tree, a broadcast from `lo + s - 1`, which
/// has the packet when step `time` begins: to the right part first, which is larger.
template <typename F>
void each_edge(Rank lo, Rank s, std::uint64_t time, const F& f) {
  if (s == 1) return;
  const Rank root = lo + s - 1, right = s / 2, left = s - 1 - right;
  f(time, root, lo + right - 1);
  each_edge(lo, right, time + 1, f);
  if (left == 0) return;
  f(time + 1, root, root - 1);
  each_edge(lo + right, left, time + 2, f);
}

std::uint64_t period(Rank P) { return P == 2 ? 1 : 2; }

bool at_the_end(const Request& r) { return r.problem.root == r.problem.ranks - 1; }

/// To rank P - 1.
Steps to_last(Rank P, std::uint64_t K) {
  require_memory_for_ranks(P, sizeof(Send), "a tree");
  std::vector<Send> sends;
  each_edge(0, P, 0, [&](std::uint64_t time, Rank from, Rank to) {
    sends.push_back({time, from, to});
  });
  return reverse(pipelined(sends, period(P), K), true);
}

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  Steps steps = to_last(P, r.problem.chunks);
  if (at_the_end(r)) return steps;
  return sequence(std::move(steps), every_step(1, [=, root = r.problem.root, K = r.problem.chunks](
                                                      std::uint64_t, Transfers& out) {
                    out.push_back(copy(P - 1, root, 0, K));
                  }));
}

/// The steps of a packet through the trees of s and of s - 1 ranks, where the left part is served a
/// step later. Both have parts of s / 2 and of s / 2 - 1 ranks only.
std::pair<std::uint64_t, std::uint64_t> depths(Rank s) {
  if (s <= 1) return {0, 0};
  const auto [half, less] = depths(s / 2);
  const auto depth = [&, half = half, less = less](Rank n) -> std::uint64_t {
    if (n == 1) return 0;
    const Rank right = n / 2, left = n - 1 - right;
    const auto part = [&](Rank size) { return size == s / 2 ? half : less; };
    return left == 0 ? 1 + part(right) : std::max(1 + part(right), 2 + part(left));
  };
  return {depth(s), depth(s - 1)};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "in-order-binary",
    .summary = "a pipelined reduction that keeps the order of operands for every P",
    .source = "Open MPI, coll/tuned; Pjesivac-Grbovic et al. 2007",
    .collectives = {Collective::reduce},
    .machines = {"duplex"},
    .order = always_in_order,
    .build = build,
    .claim =
        [](const Request& r) {
          const std::uint64_t K = r.problem.chunks;
          const std::uint64_t tree =
              depths(r.problem.ranks).first + period(r.problem.ranks) * (K - 1);
          if (at_the_end(r))
            return CostClaim{.steps = tree, .width = 1, .steps_formula = "D + 2 (s - 1)"};
          return CostClaim{
              .steps = tree + 1, .volume = tree + K, .steps_formula = "D + 2 (s - 1) + 1"};
        },
};

}  // namespace schedcc::in_order_binary_algorithm
