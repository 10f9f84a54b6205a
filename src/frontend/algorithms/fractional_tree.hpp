#pragma once

// Fractional trees, which the chain (r = infinity) and the pipelined binary tree (r = 1) are cases
// of.

#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The broadcast of K packets from rank 0 over P >= 2 ranks in the fractional tree with groups of r
/// >= 1 PUs. Ranks are in preorder: a group, then its down successors, then its right ones.
Steps fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// Its steps: d + K + ceil(K/r) - 1 with d = min{i : P_i >= P} - 1; P - 2 + K for P <= r + 1.
std::uint64_t fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// The r in 1..P-1 that gives the fewest steps, the least such r.
std::uint64_t best_group_size(std::uint64_t P, std::uint64_t K);

}  // namespace schedcc
