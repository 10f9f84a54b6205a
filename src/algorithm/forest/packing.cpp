#include "algorithm/forest/packing.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/max_flow.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// More than any flow.
constexpr std::uint64_t wide = std::uint64_t{1} << 60;

/// A tree that is not finished: its ranks, in the order in which they joined.
struct PartialTree {
  PackedTree tree;
  std::vector<Rank> ranks;
};

/// The largest number of copies by which one tree can grow by a link, as a flow.
///
/// Node N of the flow is its source, from which a wide arc leads to the tail of the link that is
/// tried, and an arc of its copies to each other tree: to its root, if it has no other rank yet.
class ResidualFlow {
 public:
  ResidualFlow(Rank ranks, std::span<const SwitchedLink> links, std::span<const std::uint64_t> rest,
               std::span<const PartialTree> others)
      : ranks_(ranks), copies_(ranks), flow_(ranks + std::size_t{1}) {
    for (std::size_t i = 0; i < links.size(); ++i) flow_.add(links[i].from, links[i].to, rest[i]);
    for (const PartialTree& other : others) {
      if (other.ranks.size() == 1) copies_[other.ranks[0]] += other.tree.copies;
    }
    first_ = links.size();
    for (Rank v = 0; v < ranks; ++v) flow_.add(ranks, v, copies_[v]);
    for (const PartialTree& other : others) {
      all_ += other.tree.copies;
      if (other.ranks.size() > 1) add_node(other);
    }
  }

  /// One more tree waits.
  void add(const PartialTree& other) {
    all_ += other.tree.copies;
    add_node(other);
  }

  void set_rest(std::size_t link, std::uint64_t rest) { flow_.set_capacity(link, rest); }

  /// To how many copies, at most `most`, a link from x to y can be added.
  std::uint64_t copies(Rank x, Rank y, std::uint64_t most) {
    flow_.set_capacity(first_ + x, wide);
    const std::uint64_t flow = flow_.run(ranks_, y, all_ + most);
    flow_.set_capacity(first_ + x, copies_[x]);
    return flow - std::min(flow, all_);
  }

 private:
  void add_node(const PartialTree& other) {
    const std::size_t node = flow_.add_node();
    flow_.add(ranks_, node, other.tree.copies);
    for (const Rank r : other.ranks) flow_.add(node, r, wide);
  }

  Rank ranks_;
  std::vector<std::uint64_t> copies_;  ///< by rank: of the trees that have no other rank
  MaxFlow flow_;
  std::size_t first_ = 0;  ///< the arc from the source to rank 0
  std::uint64_t all_ = 0;  ///< copies of all other trees
};

class Packing {
 public:
  Packing(Rank ranks, std::span<const SwitchedLink> links) : ranks_(ranks), links_(links) {
    leaving_.resize(ranks);
    for (std::uint32_t i = 0; i < links.size(); ++i) {
      leaving_[links[i].from].push_back(i);
      rest_.push_back(links[i].capacity);
    }
  }

  std::vector<PackedTree> trees(std::span<const Rank> sources, std::uint64_t k) {
    for (const Rank r : sources) waiting_.push_back({{r, k, {}}, {r}});
    std::vector<PackedTree> result;
    while (!waiting_.empty()) {
      PartialTree next = std::move(waiting_.back());
      waiting_.pop_back();
      result.push_back(finish(std::move(next)));
    }
    std::ranges::stable_sort(result, {}, &PackedTree::root);
    return result;
  }

 private:
  PackedTree finish(PartialTree partial) {
    ResidualFlow residual(ranks_, links_, rest_, waiting_);
    std::vector<bool> joined(ranks_);
    for (const Rank r : partial.ranks) joined[r] = true;
    for (std::size_t i = 0; i < partial.ranks.size() && partial.ranks.size() < ranks_; ++i) {
      for (const std::uint32_t link : leaving_[partial.ranks[i]]) {
        const Rank y = links_[link].to;
        if (joined[y] || rest_[link] == 0) continue;
        const std::uint64_t most = std::min(rest_[link], partial.tree.copies);
        const std::uint64_t copies = residual.copies(links_[link].from, y, most);
        if (copies == 0) continue;
        if (copies < partial.tree.copies) split(partial, copies, residual);
        rest_[link] -= copies;
        residual.set_rest(link, rest_[link]);
        joined[y] = true;
        partial.ranks.push_back(y);
        partial.tree.links.push_back(link);
      }
    }
    if (partial.ranks.size() < ranks_)
      throw InternalError(fmt::format("no room for a tree of rank {}", partial.tree.root));
    return std::move(partial.tree);
  }

  /// `copies` copies of the tree grow further; the others wait as they are.
  void split(PartialTree& partial, std::uint64_t copies, ResidualFlow& residual) {
    waiting_.push_back(partial);
    waiting_.back().tree.copies -= copies;
    partial.tree.copies = copies;
    residual.add(waiting_.back());
  }

  Rank ranks_;
  std::span<const SwitchedLink> links_;
  std::vector<std::vector<std::uint32_t>> leaving_;  ///< by rank: the links
  std::vector<std::uint64_t> rest_;                  ///< by link: the capacity left
  std::vector<PartialTree> waiting_;
};

}  // namespace

std::vector<PackedTree> packed_trees(Rank ranks, std::span<const SwitchedLink> links,
                                     std::span<const Rank> sources, std::uint64_t k) {
  return Packing(ranks, links).trees(sources, k);
}

}  // namespace schedcc
