// Fractional tree broadcast: the nodes of a binary tree are groups of r PUs that form a chain.
//
// Packets come in runs of r. A group's PUs pass every packet down the chain, and the last one on to
// the head of the down successor group. After each run the i-th PU passes the run's i-th packet to
// the head of the right successor, while the next run arrives. So every PU receives r packets in a
// row and pauses for a step, in the right successor just as in the down one, which starts one step
// earlier:
//     PU receives packet 0 in step b  ->  sends down packet q of run m in step b + 1 + m (r+1) + q,
//                                         sends right packet i of run m in step b + 1 + m (r+1) +
//                                         r.
// Down successors have b' = b + r (b of the head), right ones b' = b + r + 1. Hence the recurrence
//     P_i = r + P_{i-r} + P_{i-r-1},   P_i = i + 1 for i <= r
// for the PUs reachable within i steps. The schedule is a closed form: PUs with the same b, a wave,
// do the same in every step, so a step is a loop over the waves that are under way.
//
// FT's d + s (1 + 1/r) counts one step too many: packet s - 1 arrives s - 1 + ceil(s/r) - 1 steps
// after packet 0. Where P <= r + 1 there is no right successor and so no pause: the chain, P - 2 +
// K steps.
//
// Cost: O(P) to lay out, O(1) per transfer. Source: FT, section 3, figures 1 and 2.

#include "frontend/algorithms/fractional_tree.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

/// P_0, P_1, ... up to the first P_i >= P; the index of that one is d + 1.
std::vector<std::uint64_t> sizes(std::uint64_t P, std::uint64_t r) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; sizes.empty() || sizes.back() < P; ++i) {
    sizes.push_back(i <= r ? i + 1 : r + sizes[i - r] + sizes[i - r - 1]);
  }
  return sizes;
}

struct Edge {
  Rank from, to;
  std::uint32_t i;  ///< place of `from` in its group
};

/// The PUs that receive packet 0 in the step before `start`, and send from `start` on.
struct Wave {
  std::vector<Edge> down, right;
};

/// The layout of one tree: its waves, by `start`.
class Layout {
 public:
  Layout(std::uint64_t P, std::uint64_t r) : r_(r), sizes_(sizes(P, r)), waves_(sizes_.size()) {
    // The root is the head of its group and has the data before step 0: it is in wave 0.
    pending_.push_back({0, P, 0, sizes_.size() - 1});
    while (!pending_.empty()) {
      const Part part = pending_.back();
      pending_.pop_back();
      place(part);
    }
  }

  std::vector<Wave> waves() && { return std::move(waves_); }

 private:
  /// The ranks head .. head+n-1, to be reached within `budget` steps after the head, in wave
  /// `start`.
  struct Part {
    std::uint64_t head, n, start, budget;
  };

  void place(const Part& part) {
    const std::uint64_t group = std::min(part.n, r_);
    for (std::uint64_t i = 0; i + 1 < group; ++i) connect(part, i, part.head + i + 1, &Wave::down);
    std::uint64_t rest = part.n - group;
    if (rest == 0) return;
    const std::uint64_t down = std::min(rest, sizes_[part.budget - r_]);
    const std::uint64_t down_head = part.head + group;
    connect(part, group - 1, down_head, &Wave::down);
    pending_.push_back({down_head, down, part.start + r_, part.budget - r_});
    rest -= down;
    if (rest == 0) return;
    const std::uint64_t right_head = down_head + down;
    for (std::uint64_t i = 0; i < group; ++i) connect(part, i, right_head, &Wave::right);
    pending_.push_back({right_head, rest, part.start + r_ + 1, part.budget - r_ - 1});
  }

  void connect(const Part& part, std::uint64_t i, std::uint64_t to, std::vector<Edge> Wave::*kind) {
    (waves_[part.start + i].*kind)
        .push_back({static_cast<Rank>(part.head + i), static_cast<Rank>(to),
                    static_cast<std::uint32_t>(i)});
  }

  std::uint64_t r_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Wave> waves_;
  std::vector<Part> pending_;
};

}  // namespace

Steps fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  if (P <= r + 1) r = std::max(P - 1, K);  // a chain: one run without a pause
  const auto waves =
      std::make_shared<const std::vector<Wave>>(Layout(P, std::min(r, P - 1)).waves());
  const std::uint64_t busy = ceil_div(K, r) * (r + 1);  // steps from a PU's first send to its last

  return every_step(fractional_tree_steps(P, K, r), [=](std::uint64_t t, Transfers& out) {
    const std::uint64_t last = std::min<std::uint64_t>(t + 1, waves->size());
    for (std::uint64_t start = t < busy ? 0 : t - busy + 1; start < last; ++start) {
      const Wave& wave = (*waves)[start];
      const std::uint64_t run = (t - start) / (r + 1) * r;  // the first packet of the run
      const std::uint64_t q = (t - start) % (r + 1);
      if (q == r) {
        for (const Edge& e : wave.right) {
          if (run + e.i < K) out.push_back(copy(e.from, e.to, static_cast<Chunk>(run + e.i)));
        }
      } else if (run + q < K) {
        for (const Edge& e : wave.down)
          out.push_back(copy(e.from, e.to, static_cast<Chunk>(run + q)));
      }
    }
  });
}

std::uint64_t fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  if (P <= r + 1) return P - 2 + K;
  const std::uint64_t d = sizes(P, r).size() - 2;
  return d + K + ceil_div(K, r) - 1;
}

std::uint64_t best_group_size(std::uint64_t P, std::uint64_t K) {
  std::uint64_t best = 1;
  std::uint64_t least = fractional_tree_steps(P, K, 1);
  // d >= r where there is a right successor, which bounds the r that can still be better.
  for (std::uint64_t r = 2; r < P - 1 && r + K + ceil_div(K, r) - 1 < least; ++r) {
    const std::uint64_t steps = fractional_tree_steps(P, K, r);
    if (steps < least) std::tie(least, best) = std::pair(steps, r);
  }
  return P - 2 + K < least ? P - 1 : best;
}

namespace {

std::uint64_t group_size(const Request& r) {
  return r.parameters.has("r") ? r.parameters.integer("r")
                               : best_group_size(r.problem.ranks, r.problem.chunks);
}

Steps build(const Request& r) {
  return rooted(r.problem, fractional_tree(r.problem.ranks, r.problem.chunks, group_size(r)));
}

}  // namespace

extern const Algorithm fractional_tree_algorithm;
const Algorithm fractional_tree_algorithm{
    .name = "fractional-tree",
    .summary = "a binary tree whose nodes are groups of r ranks in a chain",
    .source = "FT, section 3",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .parameters = {{.name = "r",
                    .summary = "ranks in a group; without it, the r that needs the fewest steps",
                    .least = 1,
                    .most = UINT32_MAX}},
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          return Promise{fractional_tree_steps(r.problem.ranks, r.problem.chunks, group_size(r))};
        },
};

}  // namespace schedcc
