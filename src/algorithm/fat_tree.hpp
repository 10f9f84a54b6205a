#pragma once

// The common parts of the algorithms for fat trees: hops over the branches of a level, and the time
// that a leaf needs.

#include <algorithm>
#include <cstdint>

#include "machine/fattree.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Appends hops over the branches of the fat tree over n leaves. The branch (i, v) joins node v,
/// from the left, of level i - 1 to its parent on level i; i = 1..h.
class FatTreeHops {
 public:
  FatTreeHops(std::uint64_t n, Transfers& out) : tree_{n}, out_(out) {}

  void up(std::uint32_t i, std::uint64_t v, std::uint64_t first, std::uint64_t count = 1) {
    add(tree_.node(i - 1, v), tree_.node(i, v / 2), first, count);
  }
  void down(std::uint32_t i, std::uint64_t v, std::uint64_t first, std::uint64_t count = 1) {
    add(tree_.node(i, v / 2), tree_.node(i - 1, v), first, count);
  }

 private:
  void add(Rank from, Rank to, std::uint64_t first, std::uint64_t count) {
    out_.push_back(copy(from, to, static_cast<Chunk>(first), static_cast<std::uint32_t>(count)));
  }

  FatTreeNodes tree_;
  Transfers& out_;
};

/// BFT, Table 1 and Theorem 1, for K packets instead of one: the steps in which a leaf can exchange
/// K packets with each other leaf, one packet a step over its branch. Those of its sibling are the
/// only ones that take fewer than 4 hops, so that with K = 1 a step is lost. n >= 2.
constexpr std::uint64_t leaf_steps(std::uint64_t n, std::uint64_t K) {
  return n == 2 ? K + 1 : std::max(K * (n - 1) + 1, K * (n - 2) + 3);
}

/// The same as a cost claim.
constexpr CostClaim leaf_claim(std::uint64_t n, std::uint64_t K) {
  return {.steps = leaf_steps(n, K),
          .steps_formula = n == 2   ? "s + 1"
                           : K == 1 ? "n + 1"
                                    : "s (n - 1) + 1"};
}

}  // namespace schedcc
