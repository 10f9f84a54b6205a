#pragma once

// k-nomial trees, of which the binomial tree is the case k = 2.

#include <cstdint>

#include "algorithm/kernel/trees.hpp"
#include "algorithm/local_terms.hpp"

namespace schedcc {

/// The request's packets, one after another, from rank 0 in the k-nomial tree, k >= 2, in K (c +
/// (k-1)(m-1)) steps, m = ceil(log_k P) levels, c = ceil(P / k^(m-1)) - 1 <= k - 1; with p ports,
/// ceil(c/p) and ceil((k-1)/p) instead of c and k - 1. Every subtree is an interval of ranks that
/// its root begins. (Headers: blocks.hpp, trees.hpp.)
local_terms::Term<local::KnomialTree> knomial_tree(const LocalRequest& request, std::uint64_t k,
                                                   std::uint64_t ports = 1);

}  // namespace schedcc
