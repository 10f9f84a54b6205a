#include "algorithm/forest/schedule.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "core/integers.hpp"
#include "core/recent_cache.hpp"

namespace schedcc {

namespace {

/// By tree: its first lane among those of its source.
std::vector<std::uint64_t> first_lanes(const Forest& forest) {
  std::map<Rank, std::uint64_t> next;
  std::vector<std::uint64_t> result;
  for (const ForestTree& tree : forest.trees) {
    result.push_back(next[tree.root]);
    next[tree.root] += tree.copies * forest.g;
  }
  return result;
}

/// A hop of a lane, and the links of the longest way from its tail to a leaf.
struct LaneHop {
  std::uint32_t height;
  std::size_t tree;
  std::uint64_t lane;
  std::uint32_t hop;

  /// Is it less urgent?
  friend bool operator<(const LaneHop& a, const LaneHop& b) {
    return std::tuple(a.height, b.tree, b.lane, b.hop) <
           std::tuple(b.height, a.tree, a.lane, a.hop);
  }
};

/// The hops of period 0, step by step: on each link the most urgent of those whose data have come,
/// as far as there is room for the residue of the step. If a hop is not taken in p steps, all
/// residues are full by then, which is more than the link has hops: so p is the longest wait.
class Timetable {
 public:
  Timetable(const Forest& forest, const LinkGraph& graph)
      : forest_(forest),
        graph_(graph),
        period_(forest.ratio.numerator),
        taken_(graph.links.size() * period_),
        waiting_(graph.links.size()) {
    for (const ForestTree& tree : forest.trees) {
      auto& next = next_.emplace_back(tree.hops.size());
      auto& height = height_.emplace_back(tree.hops.size(), 1);
      for (std::size_t j = tree.hops.size(); j-- > 0;) {
        const std::uint32_t before = tree.hops[j].before;
        if (before == ForestTree::none) continue;
        next[before].push_back(static_cast<std::uint32_t>(j));
        height[before] = std::max(height[before], height[j] + 1);
      }
    }
  }

  /// Calls f(tree, hop, lane of the tree, offset) for all of them.
  template <typename F>
  void each_offset(F f) {
    for (std::size_t i = 0; i < forest_.trees.size(); ++i) {
      const ForestTree& tree = forest_.trees[i];
      for (std::uint32_t j = 0; j < tree.hops.size(); ++j) {
        if (tree.hops[j].before != ForestTree::none) continue;
        for (std::uint64_t lane = 0; lane < tree.copies * forest_.g; ++lane) wait(i, j, lane);
      }
    }
    std::vector<LaneHop> sent;
    for (std::uint64_t t = 0; hops_waiting_ > 0; ++t) {
      sent.clear();
      for (std::size_t link = 0; link < waiting_.size(); ++link) take(link, t, sent);
      for (const LaneHop& hop : sent) {
        f(hop.tree, hop.hop, hop.lane, t);
        for (const std::uint32_t j : next_[hop.tree][hop.hop]) wait(hop.tree, j, hop.lane);
      }
    }
  }

 private:
  void take(std::size_t link, std::uint64_t t, std::vector<LaneHop>& sent) {
    auto& waiting = waiting_[link];
    std::uint64_t& taken = taken_[link * period_ + t % period_];
    for (; !waiting.empty() && taken < graph_.links[link].capacity; ++taken) {
      sent.push_back(waiting.top());
      waiting.pop();
      --hops_waiting_;
    }
  }

  void wait(std::size_t tree, std::uint32_t hop, std::uint64_t lane) {
    const auto& [from, to, before, depth] = forest_.trees[tree].hops[hop];
    waiting_[link(from, to)].push({height_[tree][hop], tree, lane, hop});
    ++hops_waiting_;
  }

  std::size_t link(Rank from, Rank to) const {
    const auto ends = [](const LinkGraph::Link& l) { return std::pair(l.from, l.to); };
    const auto found = std::ranges::lower_bound(graph_.links, std::pair(from, to), {}, ends);
    return static_cast<std::size_t>(found - graph_.links.begin());
  }

  const Forest& forest_;
  const LinkGraph& graph_;
  std::uint64_t period_;
  std::vector<std::uint64_t> taken_;  ///< by link and residue
  std::vector<std::priority_queue<LaneHop>> waiting_;
  std::uint64_t hops_waiting_ = 0;
  std::vector<std::vector<std::vector<std::uint32_t>>> next_;  ///< by tree and hop: those after it
  std::vector<std::vector<std::uint32_t>> height_;             ///< by tree and hop
};

}  // namespace

ForestSchedule::ForestSchedule(const Forest& forest)
    : period_(1), lanes_(forest.ratio.denominator), by_residue_(period_) {
  const std::vector<std::uint64_t> first = first_lanes(forest);
  for (std::size_t i = 0; i < forest.trees.size(); ++i) {
    const ForestTree& tree = forest.trees[i];
    for (const auto& [from, to, before, depth] : tree.hops)
      add({from, to, tree.root, first[i], tree.copies * forest.g, depth - std::uint64_t{1}});
  }
  sort();
}

ForestSchedule::ForestSchedule(const Forest& forest, const LinkGraph& graph)
    : period_(forest.ratio.numerator), lanes_(forest.ratio.denominator), by_residue_(period_) {
  const std::vector<std::uint64_t> first = first_lanes(forest);
  Timetable(forest, graph)
      .each_offset([&](std::size_t i, std::uint32_t j, std::uint64_t lane, std::uint64_t offset) {
        const ForestTree& tree = forest.trees[i];
        add({tree.hops[j].from, tree.hops[j].to, tree.root, first[i] + lane, 1, offset});
      });
  sort();
}

/// The transfers of a message follow one another, and adjacent lanes with one offset are one.
void ForestSchedule::sort() {
  for (std::vector<Lanes>& all : by_residue_) {
    std::ranges::sort(all, {}, [](const Lanes& l) {
      return std::tuple(l.from, l.to, l.source, l.offset, l.first);
    });
    std::vector<Lanes> merged;
    for (const Lanes& l : all) {
      const bool adjacent = !merged.empty() && merged.back().from == l.from &&
                            merged.back().to == l.to && merged.back().source == l.source &&
                            merged.back().offset == l.offset &&
                            merged.back().first + merged.back().count == l.first;
      if (adjacent) {
        merged.back().count += l.count;
      } else {
        merged.push_back(l);
      }
    }
    all = std::move(merged);
  }
}

ForestSchedule::Extent ForestSchedule::extent(const Blocks& blocks) const {
  Extent result{UINT64_MAX, 0};
  for (const std::vector<Lanes>& all : by_residue_) {
    for (const Lanes& l : all) {
      const std::uint64_t K = blocks(l.source).count;
      if (K <= l.first) continue;
      const std::uint64_t periods = ceil_div(K - l.first, lanes_);
      result.begin = std::min(result.begin, l.offset);
      result.end = std::max(result.end, period_ * (periods - 1) + l.offset + 1);
    }
  }
  return result.end == 0 ? Extent{0, 0} : result;
}

std::uint64_t ForestSchedule::steps(const Blocks& blocks) const {
  const auto [begin, end] = extent(blocks);
  return end - begin;
}

/// After the last offset, until the first source has no full period left, all steps are alike.
std::uint64_t ForestSchedule::volume(const Blocks& blocks) const {
  std::uint64_t last_offset = 0, full = UINT64_MAX;
  for (const Lanes& l : by_residue_[0]) {
    last_offset = std::max(last_offset, l.offset);
    full = std::min<std::uint64_t>(full, blocks(l.source).count / lanes_);
  }
  const auto [begin, end] = extent(blocks);
  std::uint64_t result = 0;
  for (std::uint64_t t = begin; t < end; ++t) {
    const std::uint64_t alike = t == last_offset && full > t ? full - t : 1;
    result += alike * largest_message(t, blocks);
    t += alike - 1;
  }
  return result;
}

std::uint64_t ForestSchedule::largest_message(std::uint64_t t, const Blocks& blocks) const {
  Transfers row;
  fill(t, blocks, row);
  std::uint64_t result = 0, message = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool same = i > 0 && row[i].src == row[i - 1].src && row[i].dst == row[i - 1].dst;
    message = (same ? message : 0) + row[i].count;
    result = std::max(result, message);
  }
  return result;
}

Steps ForestSchedule::rows(const std::shared_ptr<const ForestSchedule>& schedule,
                           const Blocks& blocks) {
  const Extent extent = schedule->extent(blocks);
  return every_step(extent.end - extent.begin, [=](std::uint64_t t, Transfers& out) {
    schedule->fill(extent.begin + t, blocks, out);
  });
}

/// The transfers of a step, counted from period 0.
void ForestSchedule::fill(std::uint64_t t, const Blocks& blocks, Transfers& out) const {
  for (const Lanes& l : by_residue_[t % period_]) {
    if (l.offset > t) continue;
    const auto [begin, K] = blocks(l.source);
    const std::uint64_t chunk = (t - l.offset) / period_ * lanes_ + l.first;
    if (chunk >= K) continue;
    const auto count = static_cast<std::uint32_t>(std::min(l.count, K - chunk));
    out.push_back(copy(l.from, l.to, static_cast<Chunk>(begin + chunk), count));
  }
}

namespace {

/// A plan in the cache: what it is for.
struct PlanKey {
  LinkGraph graph;
  std::vector<Rank> sources;
  bool by_links;

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

}  // namespace

std::shared_ptr<const ForestPlan> forest_plan(const LinkGraph& graph, std::span<const Rank> sources,
                                              bool by_links) {
  constexpr std::size_t kept = 8;
  static RecentCache<PlanKey, ForestPlan> plans(kept);
  return plans.get({graph, {sources.begin(), sources.end()}, by_links}, [&] {
    Forest trees = forest(graph, sources, by_links);
    ForestSchedule schedule = by_links ? ForestSchedule(trees, graph) : ForestSchedule(trees);
    return ForestPlan{std::move(trees), std::move(schedule)};
  });
}

}  // namespace schedcc
