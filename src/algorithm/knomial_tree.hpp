#pragma once

// k-nomial trees, of which the binomial tree is the case k = 2.

#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The broadcast of K packets, one after another, from rank 0 over P >= 2 ranks in the k-nomial
/// tree, k >= 2. Every subtree is an interval of ranks that its root begins.
Steps knomial_tree(std::uint64_t P, std::uint64_t K, std::uint64_t k);

/// Its steps: K (c + (k-1)(m-1)), m = ceil(log_k P) levels, c = ceil(P / k^(m-1)) - 1 <= k - 1.
std::uint64_t knomial_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t k);

}  // namespace schedcc
