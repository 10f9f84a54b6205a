// Fractional tree broadcast for simplex PUs: a run of r packets every 2r + 1 steps, directly.
//
// In its period of 2r + 1 steps a PU receives r packets, sends them down, and sends one of them
// right: no step is idle. It alternates, and sends right when it has the whole run:
//
//     receives packet q of run m      in step b + m (2r+1) + 2q,
//     sends it down                   in step b + m (2r+1) + 2q + 1,
//     sends one packet right          in step b + m (2r+1) + 2r.
//
// So a chain of PUs forwards packets without delay, each PU a step after the previous one (b' = b +
// 1), and their steps for sending right follow one another without a gap: b + 2r, b + 2r + 1, ... A
// head that received from r consecutive PUs would get its run in r consecutive steps, which it
// cannot forward in time: it would receive while the next PU waits, and then send packets that that
// PU cannot forward either. Therefore the schedule uses every other one of these steps. A group has
// 2r PUs and two right successors: its even PUs 2q send packet q to the first, its odd PUs 2q + 1
// send packet q to the second, so that both receive, like all PUs, in every other step, starting in
// b + 2r and b + 2r + 1. The down successor's head starts in step b + 2r.
//
// The root receives nothing. It serves one tree in its even steps and another one in its odd steps.
// With N_i the PUs of a tree that have packet 0 within i steps after its head, and P_i those that
// have it after i steps in all,
//     N_i = 2r + 2 N_{i-2r} + N_{i-2r-1},   N_i = i + 1 for i < 2r,   P_i = 1 + N_{i-1} + N_{i-2}.
// With d = min{i : P_i >= P} - 1 the last packet, K - 1, arrives 2 (K - 1) + ceil(K/r) - 1 steps
// after packet 0, d + 2K + ceil(K/r) - 2 steps in all; that is D = d + 2r - 1 for K = r, and 2r + 1
// more for each further run. r = 1 is the binary tree: d + 3K - 2 steps. Of P = 2 PUs one sends and
// the other receives in every step, with no run to forward: K steps.
//
// Source: FT, section 3, which announces the schedule ("a run of r packets in 2r+1 steps") and does
// not give it.

#include <algorithm>
#include <memory>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/fractional_tree/layout.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

using fractional::Edge;
using fractional::Wave;

fractional::Group simplex_group(std::uint64_t P, std::uint64_t r) {
  const std::uint64_t size = std::min(2 * r, P);
  return {size, 2, size};
}

std::vector<Wave> waves(std::uint64_t P, std::uint64_t r, std::uint64_t last) {
  require_memory_for_ranks(P, sizeof(Edge), "a tree");
  const std::vector<std::uint64_t> N = local::tree_sizes(P - 1, simplex_group(P, r), 2);
  const std::uint64_t d = N.size() - 1;
  const std::uint64_t later = d == 0 ? 0 : N[d - 1];  // room in the tree that starts a step later

  // Ranks 1 .. first are one tree, the others another one; the larger one starts first.
  std::uint64_t first = P - 1 - last;
  if (std::max(first, last) > N[d] || std::min(first, last) > later) first = std::min(P - 1, N[d]);
  const std::uint64_t second = P - 1 - first;
  const std::uint64_t second_first = first < second ? 1 : 0;

  fractional::Layout layout(simplex_group(P, r), N, d + 2);
  const auto tree = [&](std::uint64_t head, std::uint64_t n, std::uint64_t wait) {
    if (n == 0) return;
    layout.feed(head, wait);
    layout.tree(head, n, {wait + 1}, d - wait);
  };
  tree(1, first, second_first);
  tree(1 + first, second, 1 - second_first);
  return std::move(layout).waves();
}

void send(const Edge& e, std::uint64_t packet, std::uint64_t K, Transfers& out) {
  if (packet < K) out.push_back(copy(e.from, e.to, static_cast<Chunk>(packet)));
}

}  // namespace

Steps simplex_fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r,
                              std::uint64_t last) {
  if (P == 2) return fractional_tree(P, K, r);
  const auto all = std::make_shared<const std::vector<Wave>>(waves(P, r, last));
  const std::uint64_t period = 2 * r + 1;
  const std::uint64_t busy = ceil_div(K, r) * period;  // steps from a PU's first send to its last

  return every_step(simplex_fractional_tree_steps(P, K, r), [=](std::uint64_t t, Transfers& out) {
    const std::uint64_t first = t < busy ? 0 : t - busy + 1;
    const std::uint64_t end = std::min<std::uint64_t>(t + 1, all->size());
    std::uint64_t run = (t - first) / period * r;  // the first packet of the run
    std::uint64_t phase = (t - first) % period;
    for (std::uint64_t start = first; start < end; ++start) {
      const Wave& wave = (*all)[start];
      if (phase == 2 * r - 1) {
        for (const Edge& e : wave.right) send(e, run + e.packet, K, out);
      } else if (phase % 2 == 0 && phase < 2 * r) {
        for (const Edge& e : wave.down) send(e, run + phase / 2, K, out);
      }
      if (phase == 0) run -= r;  // the next wave started a step later
      phase = phase == 0 ? period - 1 : phase - 1;
    }
  });
}

std::uint64_t simplex_fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  if (P == 2) return K;
  const std::uint64_t d = fractional::depth(P - 1, simplex_group(P, r), 2);
  return d + 2 * K + ceil_div(K, r) - 2;
}

}  // namespace schedcc
