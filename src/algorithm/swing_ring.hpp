#pragma once

// Swing's allgather on one ring of any length, which is Bine's, too: partners are 1, 1, 3, 5, 11,
// ... ranks apart, to either side in turn (swing_tree.hpp). Reversed it is the reduce-scatter.
//
// They have different parity, so that the tree of a block is one of an even number of ranks: for an
// odd P it has all but the last, L = P - 1, which exchanges blocks with rank b itself in step b mod
// lg, lg = ceil(log2(P - 1)). So every rank sends and receives P - 1 blocks in lg steps, and each b
// a message more in one of them. L exchanges with ceil((P - 1)/lg) ranks in a step, through as many
// ports; the others need two.

#include <cstdint>
#include <optional>
#include <string>

#include "algorithm/torus_trees.hpp"

namespace schedcc {

class SwingRing {
 public:
  explicit SwingRing(std::uint64_t P);

  std::uint64_t steps() const { return steps_; }
  SharedTrees trees() const;

  /// Why the machine has too few ports; none if it has enough.
  std::optional<std::string> refusal(const Request& request) const;
  /// The allgather of a vector of `total` chunks in P blocks.
  Steps allgather(std::uint64_t total) const;
  /// The claim of the request's collective: allgather, reduce-scatter or allreduce.
  CostClaim claim(const Request& request) const;

 private:
  std::uint64_t P_;
  std::uint64_t paired_;  ///< the ranks that form the trees: P, or P - 1 where that is even
  std::uint64_t steps_;
};

/// The kernel of this allgather, and what is made from it, for P = 2^h; else throws InputError.
std::shared_ptr<const LocalSchedule> swing_ring_kernel(const LocalRequest& request);

/// Throws InputError unless P = 2^h, for which the ranks that a tree has reached have a formula.
void require_closed_swing(std::uint64_t P);

}  // namespace schedcc
