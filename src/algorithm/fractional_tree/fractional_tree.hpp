#pragma once

// Fractional trees, with the special cases chain (r = infinity) and pipelined binary tree (r = 1):
// for duplex PUs, for simplex PUs, and for couples of simplex PUs that act as a duplex one.
//
// All are broadcasts of K packets from rank 0 over P >= 2 ranks, in groups made with r >= 1. Ranks
// are in preorder, so that below any rank but the root are intervals of ranks, and a reduction
// keeps the order of operands (see layout.hpp). It also does after a rotation that
// puts the root last, or that puts ranks on both sides of it if for every packet they are trees of
// their own. For this the last `last` ranks are made a tree of their own, if that takes no more
// steps. That is enough if the root sends every packet twice: for K = 1, in the binary tree, and on
// simplex PUs.

#include <cstdint>
#include <vector>

#include "algorithm/fractional_tree/layout.hpp"
#include "algorithm/local.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

Steps fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r, std::uint64_t last = 0);

/// The data that do not depend on K: its edges, by waves (see layout.hpp), and d,
/// the step in which packet 0 reaches the last PU. The length of a run is local::fractional_run.
std::vector<fractional::Wave> fractional_waves(std::uint64_t P, std::uint64_t r,
                                               std::uint64_t last = 0);
std::uint64_t fractional_depth(std::uint64_t P, std::uint64_t r);

/// Its steps: d + K + ceil(K/r) - 1 with d = min{i : P_i >= P} - 1; P - 2 + K for P <= r + 1.
std::uint64_t fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// Its kernel, for duplex ranks, with groups of `group` ranks.
std::shared_ptr<const LocalSchedule> fractional_kernel(const LocalRequest& request,
                                                       std::uint64_t group);

Steps simplex_fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r,
                              std::uint64_t last = 0);

/// Its steps: d + 2K + ceil(K/r) - 2 with d = min{i : P_i >= P} - 1; K for P = 2.
std::uint64_t simplex_fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

Steps coupled_fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r,
                              std::uint64_t last = 0);

/// Its steps: twice those of the duplex tree over ceil(P/2) PUs; K for P = 2.
std::uint64_t coupled_fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// The three by name, for a request.
struct FractionalTree {
  Steps (*build)(std::uint64_t P, std::uint64_t K, std::uint64_t r, std::uint64_t last);
  CostClaim (*claim)(std::uint64_t P, std::uint64_t K, std::uint64_t r);
  /// An r with the fewest steps; of two the one without pauses.
  std::uint64_t (*best)(std::uint64_t P, std::uint64_t K);
};
/// The tree for the request's machine, or for couples.
const FractionalTree& fractional_tree_for(const Machine& machine, bool coupled = false);

}  // namespace schedcc
