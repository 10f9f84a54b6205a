#pragma once

// Trees as a pipeline, on links that carry a few chunks per step.
//
// A forest with p/q and q = g k is a pipeline with a period of p steps: a *lane* is one chunk per
// period of one copy of a tree, so that each source has q lanes. Chunk number c of a source takes
// lane c mod q, in period floor(c/q). A hop of a lane has an offset, its step in period 0: after
// the offset of the hop before it, at most by p steps, and such that in no residue modulo p a link
// has more hops than its capacity b. There is such an offset, since all lanes together have p b
// hops on the link, and p steps in sequence have all residues. So all rules hold in every period,
// and with K chunks of a source, M = ceil(K/q), and height h of the trees,
//     steps <= p (M - 1) + 1 + the last offset <= p (M + h - 1),
// where the bottleneck alone takes K p/q steps: if q divides K, at most p (h - 1) less.
//
// Where messages may carry any number of chunks, all hops of a depth are in one step: the period is
// 1, and M + h - 1 steps.
//
// Source: ForestColl (arXiv 2402.06787), section 5.4, which leaves the pipeline to the runtime.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "algorithm/forest/trees.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

class ForestSchedule {
 public:
  /// The schedule of trees whose edges connect ranks.
  explicit ForestSchedule(const Forest& forest);
  /// The schedule of trees that go link by link, on these links, in chunks per step.
  ForestSchedule(const Forest& forest, const LinkGraph& graph);

  /// The chunks of each source: where they begin, and how many.
  using Blocks = std::function<Run(Rank source)>;

  /// The steps from the first to the last one that has a transfer.
  std::uint64_t steps(const Blocks& blocks) const;
  /// The volume, for trees from rank to rank: the sum over the steps of the largest message of
  /// each.
  std::uint64_t volume(const Blocks& blocks) const;
  /// The schedule: all transfers are copies.
  static Steps rows(const std::shared_ptr<const ForestSchedule>& schedule, const Blocks& blocks);

 private:
  /// A hop of adjacent lanes first..first+count-1 of a source.
  struct Lanes {
    Rank from, to, source;
    std::uint64_t first, count, offset;
  };

  /// The first step with a transfer, and the one after the last.
  struct Extent {
    std::uint64_t begin, end;
  };

  Extent extent(const Blocks& blocks) const;
  std::uint64_t largest_message(std::uint64_t t, const Blocks& blocks) const;
  void fill(std::uint64_t t, const Blocks& blocks, Transfers& out) const;
  void add(const Lanes& lanes) { by_residue_[lanes.offset % period_].push_back(lanes); }
  void sort();

  std::uint64_t period_, lanes_;  ///< p or 1; q
  std::vector<std::vector<Lanes>> by_residue_;
};

/// A forest, and its schedule.
struct ForestPlan {
  Forest forest;
  ForestSchedule schedule;
};

/// The plan for the data of `sources`, link by link or from rank to rank. The plans made last are
/// kept. May be called by several threads at once.
std::shared_ptr<const ForestPlan> forest_plan(const LinkGraph& graph, std::span<const Rank> sources,
                                              bool by_links);

}  // namespace schedcc
