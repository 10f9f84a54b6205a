// The doubly pipelined allreduce with two roots: partial sums go up and results down at once.
//
// The lower half of the ranks and the upper half form a binary tree each, numbered in post-order:
// the root of the ranks lo..hi is hi, its first child hi - 1 over the upper ceil((hi - lo)/2) of
// the others, its second child the last rank below these. Neighbours in a tree exchange packets in
// both directions in one step, as in a telephone call. In round j = 0, 1, ... a rank of depth d
// exchanges with its first child, then with its second one (packet j up, result j - d - 1 down),
// then with its parent (packet j up, result j - d down); the roots exchange packet j and add up
// both halves. Exchanges that are empty in both directions are left out; each takes place in the
// earliest step in which both ranks are free.
//
// A rank has at most three neighbours, so that a packet follows the one before after 3 steps (P >=
// 5; 2 for P = 3 and 4, 1 for P = 2), and the busiest rank sends 3 K chunks. For P = 2^h - 2, h >=
// 3, there are 4 h - 7 + 3 (K - 1) steps in all, as measured.
//
// A partial sum is one of the ranks lo..hi of a subtree: the order of operands is kept; both roots
// add the same two halves: all ranks end with the same expression.
//
// Source: Träff, "A Doubly-pipelined, Dual-root Reduction-to-all Algorithm and Implementation",
// arXiv 2109.12626.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"

namespace schedcc::dual_root_algorithm {

namespace {

constexpr Rank none = UINT32_MAX;

/// The two trees, with the roots as neighbours.
struct Trees {
  struct Node {
    Rank parent = none;
    std::array<Rank, 2> children{none, none};
    std::uint32_t depth = 0;
  };
  std::vector<Node> nodes;
  Rank lower, upper;  ///< the roots
  std::uint32_t depth = 0;

  explicit Trees(Rank P) : nodes(P), lower(P / 2 - 1), upper(P - 1) {
    place(0, lower, none, 0);
    place(P / 2, upper, none, 0);
  }

 private:
  void place(Rank lo, Rank hi, Rank parent, std::uint32_t d) {
    depth = std::max(depth, d);
    nodes[hi] = {parent, {none, none}, d};
    if (lo == hi) return;
    const Rank first = (hi - lo + 1) / 2;  // ranks below the first child, and itself
    nodes[hi].children[0] = hi - 1;
    place(hi - first, hi - 1, hi, d + 1);
    if (hi - lo == first) return;
    nodes[hi].children[1] = hi - first - 1;
    place(lo, hi - first - 1, hi, d + 1);
  }
};

/// Calls f(step, transfer) for the exchanges, round by round; returns the number of steps.
template <typename F>
std::uint64_t exchange(const Trees& trees, std::uint64_t K, F f) {
  std::vector<std::uint64_t> free(trees.nodes.size());
  std::uint64_t steps = 0;
  // Children have lower numbers than their parents: with ranks from the last to the first, those of
  // a rank with its parent would come first; a rank exchanges with its children before.
  const auto meet = [&](Rank a, Rank b, bool up, std::uint64_t j, bool down, std::uint64_t result,
                        bool sums) {
    const std::uint64_t step = std::max(free[a], free[b]);
    if (up) f(step, transfer(a, b, static_cast<Chunk>(j), 1, true));
    if (down) f(step, transfer(b, a, static_cast<Chunk>(result), 1, sums));
    free[a] = free[b] = step + 1;
    steps = std::max(steps, step + 1);
  };
  for (std::uint64_t j = 0; j < K + trees.depth; ++j) {
    for (Rank r = 0; r < trees.nodes.size(); ++r) {
      const auto& [parent, children, depth] = trees.nodes[r];
      // The result that goes from depth `depth` to the children in this round is j - depth - 1.
      const bool down = j >= depth + 1 && j - depth - 1 < K;
      for (const Rank child : children) {
        if (child != none && (j < K || down)) meet(child, r, j < K, j, down, j - depth - 1, false);
      }
      if (r == trees.upper && j < K) meet(trees.lower, r, true, j, true, j, true);
    }
  }
  return steps;
}

/// The steps from one packet to the next, in each of which the busiest rank sends.
std::uint64_t period(Rank P) { return P == 2 ? 1 : P <= 4 ? 2 : 3; }

/// The first packet is followed over all ranks to count the steps.
constexpr Rank max_ranks = Rank{1} << 20;

std::optional<std::string> reason(const Request& r) {
  if (r.problem.ranks <= max_ranks) return std::nullopt;
  return fmt::format("its number of steps is computed rank by rank, for at most {} ranks",
                     max_ranks);
}

std::uint64_t steps(Rank P, std::uint64_t K) {
  return exchange(Trees(P), 1, [](auto, auto) {}) + period(P) * (K - 1);
}

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  const std::uint64_t K = r.problem.chunks;
  require_memory_for_ranks(P, 2 * K * sizeof(Transfer), "an allreduce with two roots");
  const Trees trees(P);
  auto rows = std::make_shared<std::vector<Transfers>>();
  exchange(trees, K, [&](std::uint64_t step, const Transfer& t) {
    if (rows->size() <= step) rows->resize(step + 1);
    (*rows)[step].push_back(t);
  });
  return every_step(rows->size(), [rows](std::uint64_t t, Transfers& out) {
    out.insert(out.end(), (*rows)[t].begin(), (*rows)[t].end());
  });
}

std::string_view formula(Rank P) {
  return P == 2 ? "s" : P <= 4 ? "c(P) + 2 (s - 1)" : "c(P) + 3 (s - 1)";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "dual-root",
    .summary = "two binary trees whose roots exchange sums, pipelined up and down at once",
    .source = "Träff, arXiv 2109.12626",
    .collectives = {Collective::allreduce},
    .machines = {"duplex"},
    .reason = reason,
    .order = always_in_order,
    .whole_only =
        "two ranks exchange as soon as both are free, which follows from all exchanges before",
    .build = build,
    .claim =
        [](const Request& r) {
          return CostClaim{.steps = steps(r.problem.ranks, r.problem.chunks),
                           .width = 1,
                           .busiest = period(r.problem.ranks) * r.problem.chunks,
                           .steps_formula = formula(r.problem.ranks)};
        },
};

}  // namespace schedcc::dual_root_algorithm
