#pragma once

// Allgathers on rings and tori in which the blocks of all ranks take the same tree, moved to their
// rank: Bine, Swing, Trivance, and the multi-dimensional rings. Reversed they are reduce-scatters,
// and both in sequence allreduces.
//
// A tree is one of offsets: x stands for the rank that is x away from the owner of the block, in
// every dimension. With `mirrored` offsets of an owner with an odd coordinate count downwards in
// that dimension, so that ranks of different parity can be partners. Several trees at once, the
// parts, carry equal parts of every block, each through ports of its own.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/entry.hpp"
#include "algorithm/torus_sides.hpp"

namespace schedcc {

/// The tree of a block: which offset sends it to which, and in which step of the allgather.
struct OffsetTree {
  std::vector<Rank> parent;         ///< of each offset but 0
  std::vector<std::uint32_t> step;  ///< in which it receives the block; of 0: nothing

  explicit OffsetTree(std::uint64_t P) : parent(P), step(P) {}
};

class TorusTrees {
 public:
  /// `trees` have steps below `steps`.
  TorusTrees(TorusSides sides, bool mirrored, std::uint64_t steps, std::vector<OffsetTree> trees);

  std::uint64_t ranks() const { return ranks_; }
  std::uint64_t steps() const { return steps_; }
  const OffsetTree& tree(std::size_t part) const { return trees_[part]; }
  /// The offsets that receive in a step.
  const std::vector<Rank>& receivers(std::size_t part, std::uint64_t step) const {
    return receivers_[part][step];
  }
  /// The rank at an offset from the owner of a block.
  Rank rank(Rank owner, Rank offset) const;

  /// Appends the copies of a step: of block b its chunks in a vector of `total`, which is cut into
  /// `blocks` >= P of them.
  void copies(std::uint64_t step, std::uint64_t total, std::uint64_t blocks, Transfers& out) const;
  /// The sum over the steps of the largest messages of the allgather, with blocks of K chunks.
  std::uint64_t volume(std::uint64_t K) const;
  /// Why the reduce-scatter does not keep the order of operands, if block b has chunks(b) chunks;
  /// none if it does.
  std::optional<std::string> order(const std::function<std::uint64_t(Rank)>& chunks) const;

 private:
  class Row;

  Rank moved(const Rank* owner, const Rank* offset) const;
  /// The owner from which a rank is at an offset.
  Rank owner(Rank rank, Rank offset) const;

  TorusSides sides_;
  bool mirrored_;
  std::uint64_t ranks_, steps_;
  std::vector<OffsetTree> trees_;
  std::vector<Rank> places_;  ///< the coordinates of rank r, starting at r times the dimensions
  std::vector<std::vector<std::vector<Rank>>> receivers_;  ///< of part p in step t: offsets
};

using SharedTrees = std::shared_ptr<const TorusTrees>;

/// A tree that grows backwards from the root, T = {0}: for i = `steps` - 1 .. 0 every x that is in
/// T before adds its neighbours at i, unless they are in T. Step i of the reduce-scatter is step
/// `steps` - 1 - i of the allgather. Appends the neighbours of x at i: neighbours(x, i, result).
using Neighbours = std::function<void(Rank x, std::uint64_t i, std::vector<Rank>& result)>;
OffsetTree grown_tree(std::uint64_t P, std::uint64_t steps, const Neighbours& neighbours);

/// The request's collective: allgather, reduce-scatter or allreduce.
Steps torus_collective(const Request& request, SharedTrees trees);
/// Its claim: `steps` and `volume(K)` are those of one allgather with blocks of K chunks; formulas
/// are for one of them and for two.
CostClaim torus_claim(const Request& request, std::uint64_t steps,
                      const std::function<std::uint64_t(std::uint64_t)>& volume,
                      std::string_view steps_formula, std::string_view twice);
std::optional<std::string> torus_order(const Request& request, const TorusTrees& trees);

/// Throws InputError if ranks send a message of each of several parts at once, which only
/// algorithms with one part compute rank by rank.
void require_one_part(std::uint64_t parts);

}  // namespace schedcc
