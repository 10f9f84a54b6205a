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
#include "schedcc/algorithm.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::two_levels {

using enum Collective;

namespace {

struct Nodes {
  std::uint64_t n, m;  ///< nodes, ranks of each
};
Nodes nodes_of(const Request& r, const LevelOptions& options) {
  const std::uint64_t m =
      options.ranks != 0 ? options.ranks : ranks_of_node(r.machine, options.inner);
  return {r.problem.ranks / m, m};
}

/// The machine that the parts within nodes of m ranks are asked for: `ports` alone, or, if they
/// have levels whose nodes are those of the machine, a cluster with all of these that are in one.
Machine machine_within(const Machine& machine, const Machine& ports, std::uint64_t m) {
  std::string factors;
  std::uint64_t ranks = 1;
  if (machine.levels() != nullptr) {
    for (const Levels::Group& group : machine.levels()->groups) {
      if (group.ranks >= m || m % group.ranks != 0) break;
      factors += fmt::format("{}x", group.ranks / ranks);
      ranks = group.ranks;
    }
  }
  if (factors.empty()) return ports;
  const std::uint64_t k = ports_of(machine);
  return make_machine(fmt::format("cluster:{}{},ports={},nics={}", factors, m / ranks, k, m * k),
                      static_cast<Rank>(m));
}

class Stages {
 public:
  Stages(const Request& r, Nodes nodes, const LevelOptions& options,
         const LevelAlgorithms& algorithms, const Run& segment)
      : r_(r),
        n_(nodes.n),
        m_(nodes.m),
        block_(r.problem.chunks),
        first_(segment.first),
        K_(segment.count),
        algorithms_(algorithms) {
    const std::uint64_t ports = ports_of(r.machine);
    if (ports > 1) between_ = make_machine(fmt::format("kport:k={}", ports), 2);
    within_ = options.inner == 0 ? between_ : machine_within(r.machine, between_, m_);
  }

  std::vector<Stage> all() const {
    const Collective c = algorithms_.phases.whole;
    const bool leaders = algorithms_.phases.leaders;
    if (c == scan || c == exscan) return scans();
    if (!info(c).in_blocks())
      return {within(algorithms_.before, algorithms_.phases.before), between(),
              within(algorithms_.after, algorithms_.phases.after)};
    if (c == alltoall && leaders) return {rows_to_leader(), leaders_exchange(), columns_to_ranks()};
    if (c == alltoall) return {exchange_within(), exchange_between()};
    if (leaders)
      return {leader_blocks(algorithms_.before, algorithms_.phases.before), bundles(),
              leader_blocks(algorithms_.after, algorithms_.phases.after)};
    if (algorithms_.after) return {rails(), nodes(*algorithms_.after)};
    return {nodes(*algorithms_.before), rails()};
  }

  /// The same where stages may be at work at the same time.
  std::vector<Stage> overlapping() const {
    const Collective c = algorithms_.phases.whole;
    if (!algorithms_.phases.own_node_apart()) return all();
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
    result.request.machine = &algorithm == &*algorithms_.between ? between_ : within_;
    return result;
  }
  /// On all rails, or among leaders.
  Group outer(std::uint64_t chunks, std::uint64_t copies, const IndexMapping& mapping) const {
    return {part(*algorithms_.between, algorithms_.phases.between(), n_, chunks, node_of_root()), 0,
            copies, mapping, false};
  }
  /// Chunk c of the blocks of all ranks, one after the other, is chunk c: no mapping is needed.
  bool whole_blocks() const { return K_ == block_; }

  std::uint64_t node_of_root() const { return r_.problem.root / m_; }
  std::uint64_t rail_of_root() const { return r_.problem.root % m_; }

  /// The stage of a vector in all nodes, or in that of the root. Without a collective: nothing.
  Stage within(const std::optional<Algorithm>& x, std::optional<Collective> done) const {
    if (!x || !done) return {};
    const Collective collective = *done;
    const bool blocks = info(collective).in_blocks();
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
    IndexMapping mapping{.rank = 0, .rank_stride = m_, .chunk = first_};
    if (algorithms_.phases.leaders) {
      mapping.rank = rail_of_root();
      return {outer(K_, 1, mapping)};
    }
    if (K_ % m_ == 0) {
      mapping.next_rank = 1;
      mapping.next_chunk = K_ / m_;
      return {outer(K_ / m_, m_, mapping)};
    }
    Stage result;
    for (std::uint64_t i = 0; i < m_; ++i) {
      const Run block = vector_block(K_, m_, i);
      if (block.count == 0) continue;
      mapping.rank = i;
      mapping.chunk = first_ + block.first;
      result.push_back(outer(block.count, 1, mapping));
    }
    return result;
  }

  /// Scans: all ranks of a node send their contributions to the last one, and no others, so that
  /// each has its own as before. The last ranks scan, and have their results; the first rank of the
  /// next node adds that to its own contribution, before all but the last scan theirs. If they are
  /// exclusive, each rank then has the result of the one before it.
  std::vector<Stage> scans() const {
    const IndexMapping node{.chunk = first_, .next_rank = m_};
    const IndexMapping last{.rank = m_ - 1, .rank_stride = m_, .chunk = first_};
    const IndexMapping across{.rank = m_ - 1, .chunk = first_, .next_rank = m_};
    std::vector<Stage> result;
    if (n_ > 1) {
      if (m_ > 1) result.push_back({star(m_, n_, node)});
      result.push_back({outer(K_, 1, last)});
      if (m_ > 1) result.push_back({star(2, n_ - 1, across)});
    }
    const std::uint64_t others = n_ > 1 ? m_ - 1 : m_;
    if (others > 1) result.push_back({{part(*algorithms_.after, scan, others, K_), 0, n_, node}});
    if (algorithms_.phases.whole == exscan && n_ * m_ > 1) result.push_back({to_next_ranks()});
    return result;
  }
  /// What each rank has, to the next one, all at once: the gather of two ranks to the second, which
  /// has nothing of its own in it.
  Group to_next_ranks() const {
    const IndexMapping pair{.chunk = first_, .next_rank = 1};
    const Algorithm linear = with_parameters(find_algorithm("linear"), {"linear", {}});
    return {part(linear, gather, 2, K_, 1), 0, n_ * m_ - 1, pair, true, true};
  }
  /// The sum of these ranks at the last of them, from each directly.
  Group star(std::uint64_t ranks, std::uint64_t copies, const IndexMapping& mapping) const {
    const PortLimits* const ports = within_.ports();
    const std::uint64_t k =
        std::min<std::uint64_t>(ports != nullptr ? ports->receive : 1, ranks - 1);
    const Algorithm linear =
        with_parameters(find_algorithm("linear"), {"linear", {{"ports", {std::to_string(k)}}}});
    return {part(linear, Collective::reduce, ranks, K_, ranks - 1), 0, copies, mapping, true, true};
  }

  /// Of n blocks at once in the nodes, or in that of the root, and of one on the rails: allgather,
  /// reduce-scatter, scatter, gather, barrier.
  Stage nodes(const Algorithm& x) const {
    const Collective c = algorithms_.phases.whole;
    const bool one = info(c).rooted;
    return {{part(x, c, m_, n_ * K_, rail_of_root()),
             0,
             one ? 1 : n_,
             {.rank = one ? node_of_root() * m_ : 0,
              .chunk = first_,
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
    return {outer(K_, m_,
                  {.rank_stride = m_,
                   .chunk = first_,
                   .unit = K_,
                   .digits = {{{n_, m_ * block_}}},
                   .next_rank = 1,
                   .next_chunk = block_})};
  }

  /// Collectives of blocks by leaders: of a node's blocks, or of all. A barrier's tokens, which
  /// take no room, are one packet of the leader's.
  Stage leader_blocks(const std::optional<Algorithm>& x, std::optional<Collective> done) const {
    if (!x || !done) return {};
    const std::uint64_t P = r_.problem.ranks;
    const bool own = info(*done).in_blocks();
    const bool one_packet = !own && algorithms_.phases.whole == barrier;
    IndexMapping mapping{.chunk = first_,
                         .scale = one_packet ? P * K_ : 1,
                         .unit = K_,
                         .digits = {{{P, block_}}},
                         .next_rank = m_,
                         .next_chunk = own ? m_ * block_ : 0};
    if (one_packet && whole_blocks()) mapping.unit = UINT64_MAX;
    const std::uint64_t chunks = one_packet ? 1 : own ? K_ : P * K_;
    return {{part(*x, *done, m_, chunks, rail_of_root()), 0, n_, mapping}};
  }
  Stage bundles() const {
    return {outer(m_ * K_, 1,
                  {.rank = rail_of_root(),
                   .rank_stride = m_,
                   .chunk = first_,
                   .unit = K_,
                   .digits = {{{r_.problem.ranks, block_}}}})};
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
    return {outer(m_ * K_, m_,
                  {.rank_stride = m_,
                   .chunk = first_,
                   .unit = K_,
                   .digits = {{{m_, row}, {n_, m_ * block_}, {n_, m_ * row}}},
                   .next_rank = 1,
                   .next_chunk = block_})};
  }

  /// Alltoall by leaders: the rows of its node's ranks, the items of two nodes, and the columns.
  Stage rows_to_leader() const {
    const std::uint64_t P = r_.problem.ranks, row = P * block_;
    IndexMapping mapping{.chunk = first_,
                         .unit = K_,
                         .digits = {{{P, block_}, {m_, row}}},
                         .next_rank = m_,
                         .next_chunk = m_ * row};
    if (whole_blocks()) mapping.unit = UINT64_MAX;
    return {{without_own(part(*algorithms_.before, gather, m_, P * K_)), 0, n_, mapping}};
  }
  /// Of rows or columns, without the item that a rank has for itself.
  AlgorithmPart without_own(AlgorithmPart part) const {
    part.left_out = static_cast<std::uint32_t>(K_);
    return part;
  }
  Stage leaders_exchange() const {
    const std::uint64_t row = r_.problem.ranks * block_;
    return {outer(m_ * m_ * K_, 1,
                  {.rank_stride = m_,
                   .chunk = first_,
                   .unit = K_,
                   .digits = {{{m_, block_}, {m_, row}, {n_, m_ * block_}, {n_, m_ * row}}}})};
  }
  Stage columns_to_ranks() const {
    const std::uint64_t P = r_.problem.ranks, row = P * block_;
    return {{without_own(part(*algorithms_.after, scatter, m_, P * K_)),
             0,
             n_,
             {.chunk = first_,
              .unit = K_,
              .digits = {{{P, row}, {m_, block_}}},
              .next_rank = m_,
              .next_chunk = m_ * block_}}};
  }

  const Request& r_;
  std::uint64_t n_, m_;
  std::uint64_t block_, first_, K_;  ///< chunks of the vector or of a block; those of the segment
  const LevelAlgorithms& algorithms_;
  Machine between_, within_;  ///< that the parts are asked for
};

}  // namespace

std::vector<Stage> all_stages(const Request& r, const LevelOptions& options,
                              const LevelAlgorithms& algorithms) {
  const Nodes nodes = nodes_of(r, options);
  const std::uint64_t K = r.problem.chunks, segments = options.segments;
  std::vector<Stage> result;
  if (segments == 0) result = Stages(r, nodes, options, algorithms, vector_block(K, 1, 0)).all();
  for (std::uint64_t i = 0; i < segments; ++i) {
    std::vector<Stage> own =
        Stages(r, nodes, options, algorithms, vector_block(K, segments, i)).overlapping();
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

std::uint64_t ranks_of_node(const Machine& machine, std::uint64_t level) {
  const Levels* const levels = machine.levels();
  return levels != nullptr && level < levels->groups.size() ? levels->groups[level].ranks : 0;
}

}  // namespace schedcc
