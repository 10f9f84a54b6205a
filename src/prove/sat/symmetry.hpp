#pragma once

// Symmetries of an instance: nodes that can change places, and chunks that can.

#include <functional>
#include <span>
#include <vector>

#include "prove/sat/formula.hpp"
#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// A renaming of nodes and chunks that changes nothing else.
struct Symmetry {
  std::vector<Rank> node;
  std::vector<Chunk> chunk;
};

/// Some symmetries: neighbours among chunks for the same nodes, and for each pair of nodes a < b a
/// renaming that leaves the nodes below a where they are and takes a to b, if one is found; of
/// ranks that differ in nothing at all, neighbours only (the others follow). Without `nodes` all
/// nodes stay where they are. `watch` is called now and then; what it throws ends the search.
std::vector<Symmetry> symmetries(const Instance& instance, const std::vector<Delivery>& chunks,
                                 bool nodes = true, const std::function<void()>& watch = nullptr);

/// Says for a symmetry that of a schedule and its image the schedule comes first: in the first of
/// some times in which they differ, the schedule's is the earlier. Sound for any number of
/// symmetries together, if the times are in the same order for all. Only a few are looked at.
class LexLeader {
 public:
  explicit LexLeader(Formula& formula) : formula_(formula) {}

  /// Compares the next time, of the schedule and of its image, as literals that are true from that
  /// time on. Returns whether more shall be compared.
  bool compare(std::span<const Literal> a, std::span<const Literal> b);

 private:
  Formula& formula_;
  Literal equal_ = Formula::yes;  ///< so far
  int compared_ = 0;
};

}  // namespace schedcc::prover
