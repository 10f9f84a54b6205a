// On which ranks and chunks the stages of levels(X, Y) work.
//
// With segments each is a part of the chunks, of the vector or of every block, with stages of its
// own: while one segment is between the nodes, the next one is in the nodes.

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/composition/levels.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::two_levels {

using enum Collective;

namespace {

struct Nodes {
  std::uint64_t n, m;  ///< nodes, ranks of each
};
Nodes nodes_of(const Request& r, std::uint64_t given) {
  const std::uint64_t m = given != 0 ? given : ranks_of_node(r.machine);
  return {r.problem.ranks / m, m};
}

class Stages {
 public:
  Stages(const Request& r, Nodes nodes, const LevelAlgorithms& algorithms, const Run& segment)
      : r_(r),
        n_(nodes.n),
        m_(nodes.m),
        block_(r.problem.chunks),
        first_(segment.first),
        K_(segment.count),
        algorithms_(algorithms) {
    const std::uint64_t ports = ports_of(r.machine);
    if (ports > 1) machine_ = make_machine(fmt::format("kport:k={}", ports), 2);
  }

  std::vector<Stage> all() const {
    const Collective c = algorithms_.phases.whole;
    const bool blocks = info(c).blocks > 0, leaders = algorithms_.phases.leaders;
    if (!blocks)
      return {within(algorithms_.before, algorithms_.phases.before), between(),
              within(algorithms_.after, algorithms_.phases.after)};
    if (c == alltoall) return {exchange_within(), exchange_between()};
    if (leaders)
      return {leader_blocks(*algorithms_.before, *algorithms_.phases.before), bundles(),
              leader_blocks(*algorithms_.after, *algorithms_.phases.after)};
    if (c == allgather) return {rails(), nodes(*algorithms_.after)};
    return {nodes(*algorithms_.before), rails()};
  }

  /// The same where stages may be at work at the same time: the blocks of the own node need not
  /// wait for those of the others, nor these for them.
  std::vector<Stage> overlapping() const {
    const Collective c = algorithms_.phases.whole;
    if ((c != allgather && c != reduce_scatter) || algorithms_.phases.leaders) return all();
    const Algorithm& x = c == allgather ? *algorithms_.after : *algorithms_.before;
    Stage between = rails();
    between.push_back(own_node(x));
    std::vector<Stage> result{std::move(between)};
    if (n_ > 1) result.insert(c == allgather ? result.end() : result.begin(), {other_nodes(x)});
    return result;
  }

 private:
  AlgorithmPart part(const Algorithm& algorithm, Collective collective, std::uint64_t ranks,
                     std::uint64_t chunks, std::uint64_t root = 0) const {
    AlgorithmPart result{algorithm, {}};
    Problem& problem = result.request.problem;
    problem.collective = collective;
    problem.ranks = static_cast<Rank>(ranks);
    problem.chunks = static_cast<std::uint32_t>(std::min<std::uint64_t>(chunks, UINT32_MAX));
    problem.root = info(collective).rooted ? static_cast<Rank>(root) : 0;
    problem.ordered = r_.problem.ordered && info(collective).reduction;
    result.request.machine = machine_;
    return result;
  }

  std::uint64_t node_of_root() const { return r_.problem.root / m_; }
  std::uint64_t rail_of_root() const { return r_.problem.root % m_; }

  /// The stage of a vector in all nodes, or in that of the root. Without a collective: nothing.
  Stage within(const std::optional<Algorithm>& x, std::optional<Collective> done) const {
    if (!x || !done) return {};
    const Collective collective = *done;
    const bool blocks = info(collective).blocks > 0;
    const bool one = !algorithms_.phases.leaders && info(collective).rooted;
    Group group{part(*x, collective, m_, blocks ? ceil_div(K_, m_) : K_, rail_of_root()),
                blocks ? K_ : 0,
                one ? 1 : n_,
                {.chunk = first_}};
    if (one) group.mapping.rank = node_of_root() * m_;
    group.mapping.next_rank = m_;
    return {group};
  }

  /// The stage of a vector between nodes: of its m parts on all rails, or of leaders.
  Stage between() const {
    const Algorithm& y = *algorithms_.between;
    const Collective c = algorithms_.phases.whole;
    IndexMapping mapping{.rank = 0, .rank_stride = m_, .chunk = first_};
    if (algorithms_.phases.leaders) {
      mapping.rank = rail_of_root();
      return {{part(y, c, n_, K_, node_of_root()), 0, 1, mapping}};
    }
    if (K_ % m_ == 0) {
      mapping.next_rank = 1;
      mapping.next_chunk = K_ / m_;
      return {{part(y, c, n_, K_ / m_, node_of_root()), 0, m_, mapping}};
    }
    Stage result;
    for (std::uint64_t i = 0; i < m_; ++i) {
      const Run block = vector_block(K_, m_, i);
      if (block.count == 0) continue;
      mapping.rank = i;
      mapping.chunk = first_ + block.first;
      result.push_back({part(y, c, n_, block.count, node_of_root()), 0, 1, mapping});
    }
    return result;
  }

  /// Allgather, reduce-scatter: of n blocks at once in the nodes, of one on the rails.
  Stage nodes(const Algorithm& x) const {
    return {{part(x, algorithms_.phases.whole, m_, n_ * K_),
             0,
             n_,
             {.chunk = first_,
              .unit = K_,
              .digits = {{{n_, m_ * block_}, {m_, block_}}},
              .next_rank = m_}}};
  }
  /// Of the node's own block, and of those of the n - 1 nodes after it.
  Group own_node(const Algorithm& x) const {
    return {part(x, algorithms_.phases.whole, m_, K_),
            0,
            n_,
            {.chunk = first_,
             .unit = K_,
             .digits = {{{m_, block_}}},
             .next_rank = m_,
             .next_chunk = m_ * block_}};
  }
  Stage other_nodes(const Algorithm& x) const {
    return {{part(x, algorithms_.phases.whole, m_, (n_ - 1) * K_),
             0,
             n_,
             {.chunk = m_ * block_ + first_,
              .unit = K_,
              .digits = {{{n_ - 1, m_ * block_}, {m_, block_}}},
              .next_rank = m_,
              .next_chunk = m_ * block_,
              .wrap = r_.problem.total_chunks()}}};
  }
  Stage rails() const {
    return {{part(*algorithms_.between, algorithms_.phases.whole, n_, K_),
             0,
             m_,
             {.rank_stride = m_,
              .chunk = first_,
              .unit = K_,
              .digits = {{{n_, m_ * block_}}},
              .next_rank = 1,
              .next_chunk = block_}}};
  }

  /// Allgather, reduce-scatter by leaders: of a node's blocks, or of all.
  Stage leader_blocks(const Algorithm& x, Collective collective) const {
    const bool own = info(collective).blocks > 0;
    return {{part(x, collective, m_, own ? K_ : r_.problem.ranks * K_),
             0,
             n_,
             {.chunk = first_,
              .unit = K_,
              .digits = {{{n_ * m_, block_}}},
              .next_rank = m_,
              .next_chunk = own ? m_ * block_ : 0}}};
  }
  Stage bundles() const {
    return {{part(*algorithms_.between, algorithms_.phases.whole, n_, m_ * K_),
             0,
             1,
             {.rank_stride = m_, .chunk = first_, .unit = K_, .digits = {{{n_ * m_, block_}}}}}};
  }

  /// Alltoall: rank i of node a gives rank j what it has for the ranks j of all nodes.
  Stage exchange_within() const {
    const std::uint64_t row = r_.problem.ranks * block_;
    return {{part(*algorithms_.before, alltoall, m_, n_ * K_),
             0,
             n_,
             {.chunk = first_,
              .unit = K_,
              .digits = {{{n_, m_ * block_}, {m_, block_}, {m_, row}}},
              .next_rank = m_,
              .next_chunk = m_ * row}}};
  }
  Stage exchange_between() const {
    const std::uint64_t row = r_.problem.ranks * block_;
    return {{part(*algorithms_.between, alltoall, n_, m_ * K_),
             0,
             m_,
             {.rank_stride = m_,
              .chunk = first_,
              .unit = K_,
              .digits = {{{m_, row}, {n_, m_ * block_}, {n_, m_ * row}}},
              .next_rank = 1,
              .next_chunk = block_}}};
  }

  const Request& r_;
  std::uint64_t n_, m_;
  std::uint64_t block_, first_, K_;  ///< chunks of the vector or of a block; those of the segment
  const LevelAlgorithms& algorithms_;
  Machine machine_;
};

}  // namespace

std::vector<Stage> all_stages(const Request& r, const LevelOptions& options,
                              const LevelAlgorithms& algorithms) {
  const Nodes nodes = nodes_of(r, options.ranks);
  const std::uint64_t K = r.problem.chunks, segments = options.segments;
  std::vector<Stage> result;
  if (segments == 0) result = Stages(r, nodes, algorithms, vector_block(K, 1, 0)).all();
  for (std::uint64_t i = 0; i < segments; ++i) {
    std::vector<Stage> own =
        Stages(r, nodes, algorithms, vector_block(K, segments, i)).overlapping();
    result.resize(std::max<std::size_t>(result.size(), i + own.size()));
    for (std::size_t j = 0; j < own.size(); ++j)
      std::ranges::move(own[j], std::back_inserter(result[i + j]));
  }
  for (Stage& stage : result)
    std::erase_if(stage, [](const Group& group) { return group.part.request.problem.ranks == 1; });
  std::erase_if(result, [](const Stage& stage) { return stage.empty(); });
  return result;
}

}  // namespace schedcc::two_levels

namespace schedcc {

std::uint64_t ranks_of_node(const Machine& machine) {
  return machine.levels() != nullptr ? machine.levels()->groups.front().ranks : 0;
}

}  // namespace schedcc
