// Compositions: levels(X, Y), X within the nodes and Y between them, on all rails at once.
//
// n nodes have m ranks each; rank i of node a is rank a m + i, and the ranks i of all nodes are
// rail i. A collective is a sequence of stages, each in all nodes or on all rails at once:
//
//   allreduce        reduce-scatter within, allreduce of m-th parts between, allgather within
//   broadcast        scatter in the root's node, broadcasts between, allgather within
//   reduce           the reverse: reduce-scatter within, reduce between, gather in the root's node
//   allgather        allgather between, then of n blocks at once within: n - 1 blocks leave a rank
//   reduce-scatter   the reverse
//   alltoall         within, to the ranks on the rails of the destinations, then between
//
// So every rank sends a message to other nodes at once (full-lane). If X cannot do its two parts,
// one rank of each node acts for it, the leader: reduce, allreduce of the leaders, broadcast;
// gather, allgather, broadcast; reduce, reduce-scatter, scatter; broadcast of the leaders,
// broadcast; reduce, reduce of the leaders. X may be a sequence of both parts, and where X is for
// the reverse of a part it is reversed.
//
// Source: Träff, Hunold, "Decomposing MPI Collectives for Exploiting Multi-lane Communication",
// CLUSTER 2020, arXiv 1910.13373.

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition/levels.hpp"
#include "algorithm/composition/parts.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace two_levels {

using namespace compositions;
using enum Collective;

namespace {

Steps group_steps(const Group& group) {
  const auto& [algorithm, request] = group.part;
  const Problem& own = request.problem;
  Steps steps = algorithm.steps(request);
  if (group.total > 0 && own.total_chunks() != group.total)
    steps = shrink_blocks(std::move(steps), own.ranks, own.chunks, group.total, true);
  const std::uint64_t size = steps.size();
  Steps placed(
      size, [steps = std::move(steps), mapping = group.mapping](std::uint64_t row, Transfers& out) {
        Transfers row_of_part;
        const std::uint64_t number = steps.fill(row, row_of_part);
        for (const Transfer& run : row_of_part) mapping.append(run, out);
        return number;
      });
  if (group.copies == 1) return placed;
  return replicate(std::move(placed), group.copies,
                   [mapping = group.mapping](std::uint64_t i, Transfer& t) {
                     t.src += static_cast<Rank>(i * mapping.next_rank);
                     t.dst += static_cast<Rank>(i * mapping.next_rank);
                     t.first += static_cast<Chunk>(i * mapping.next_chunk);
                   });
}

/// What a stage claims: the largest of its groups.
CostClaim stage_claim(const Stage& stage) {
  CostClaim result{.steps = 0};
  std::uint64_t least = UINT64_MAX;
  bool equal = true;
  for (const Group& group : stage) {
    const Problem& own = group.part.request.problem;
    const CostClaim claim = group.part.algorithm.claim(group.part.request);
    const bool alone = claim.width == 1 && !claim.idle;
    least = std::min(least, claim.steps);
    equal &= group.total == 0 || own.total_chunks() == group.total;
    result.steps = std::max(result.steps, claim.steps);
    result.exact &= claim.exact;
    result.idle |= claim.idle;
    result.volume = alone ? claim.steps : claim.volume;
  }
  if (stage.size() > 1) result.volume = 0;
  if (!equal) return {.steps = result.steps, .exact = false, .idle = true};
  result.exact &= stage.size() == 1 || least == result.steps;
  return result;
}

class LevelPlans {
 public:
  LevelPlans(std::uint64_t ranks, const Algorithm& x, const Algorithm& y)
      : ranks_(ranks), x_(x), y_(y) {
    for (const Collective c :
         {allreduce, reduce_scatter, allgather, broadcast, Collective::reduce, alltoall}) {
      if (auto algorithms = algorithms_for(c, x, y)) variants_.push_back(std::move(*algorithms));
    }
  }

  std::vector<Collective> collectives() const {
    std::vector<Collective> result;
    for (const LevelAlgorithms& algorithms : variants_) result.push_back(algorithms.phases.whole);
    return result;
  }

  std::vector<Stage> stages(const Request& r) const {
    const auto found = std::ranges::find(
        variants_, r.problem.collective,
        [](const LevelAlgorithms& algorithms) { return algorithms.phases.whole; });
    std::vector<Stage> all = all_stages(r, ranks_, *found);
    std::erase_if(all, [](const Stage& stage) {
      return stage.empty() || stage[0].part.request.problem.ranks == 1;
    });
    return all;
  }
  /// The different ones: rails differ by a chunk.
  std::vector<AlgorithmPart> parts(const Request& r) const {
    std::vector<AlgorithmPart> result;
    for (const Stage& stage : stages(r)) {
      std::vector<std::uint32_t> chunks;
      for (const Group& group : stage) {
        const std::uint32_t own = group.part.request.problem.chunks;
        if (std::ranges::find(chunks, own) != chunks.end()) continue;
        chunks.push_back(own);
        result.push_back(group.part);
      }
    }
    return result;
  }

  std::optional<std::string> reason(const Request& r) const {
    if (r.machine.timing() != nullptr)
      return fmt::format("its levels alternate step by step, but a step of {} is a cycle of LogP",
                         r.machine.spec());
    const std::uint64_t P = r.problem.ranks;
    if (ranks_ == 0 && ranks_of_node(r.machine) == 0) {
      return fmt::format(
          "{} has no nodes; state the ranks of a node, as in levels(8, {}, {}), or a machine with "
          "nodes: cluster, crossbar, or a topology with groups",
          r.machine.spec(), x_.name, y_.name);
    }
    if (ranks_ != 0 && P % ranks_ != 0)
      return fmt::format("{} ranks cannot be divided into nodes of {}", P, ranks_);
    return first_refusal(parts(r));
  }

  Steps build(const Request& r) const {
    Steps result;
    for (const Stage& stage : stages(r)) {
      std::vector<Steps> groups;
      for (const Group& group : stage) groups.push_back(group_steps(group));
      const std::uint64_t wait = steps_under_way(result, r.machine);
      Steps next = groups.size() == 1 ? std::move(groups[0]) : parallel(std::move(groups));
      result = sequence(std::move(result), delay(std::move(next), wait));
    }
    return result;
  }

  CostClaim claim(const Request& r) const {
    CostClaim result{.steps = 0};
    bool known = true;
    for (const Stage& stage : stages(r)) {
      const CostClaim claim = stage_claim(stage);
      result.steps += claim.steps;
      result.exact &= claim.exact;
      result.idle |= claim.idle;
      result.volume += claim.volume;
      known &= claim.volume > 0;
    }
    if (!known) result.volume = 0;
    return result;
  }

 private:
  std::uint64_t ranks_;
  Algorithm x_, y_;
  std::vector<LevelAlgorithms> variants_;
};

}  // namespace

}  // namespace two_levels

Algorithm levels(std::uint64_t ranks, const Algorithm& x, const Algorithm& y) {
  if (x.hops || y.hops) {
    throw InputError(
        fmt::format("levels places ranks in nodes, and '{}' sends over links, hop by hop",
                    (x.hops ? x : y).name));
  }
  const auto all = std::make_shared<const two_levels::LevelPlans>(ranks, x, y);
  if (all->collectives().empty()) {
    throw InputError(fmt::format(
        "'{}' ({}) within nodes and '{}' ({}) between them do not fit together: no collective is "
        "made of parts that they serve",
        x.name, compositions::names_of(x.collectives), y.name,
        compositions::names_of(y.collectives)));
  }
  const auto parts = [all](const Request& r) { return all->parts(r); };
  AlgorithmEntry entry{
      .collectives = all->collectives(),
      // With a number it depends on the ports alone: nodes, and rails, are at work side by side.
      .fits =
          [ranks](const Request& r) {
            return ranks != 0 && r.machine.ports() && !r.machine.simplex() && !r.machine.channels();
          },
      .reason = [all](const Request& r) { return all->reason(r); },
      .agrees =
          [parts](const Request& r) {
            return std::ranges::all_of(parts(r), [](const AlgorithmPart& part) {
              return part.algorithm.agrees(part.request);
            });
          },
      .build = [all](const Request& r) { return all->build(r); },
      .claim = [all](const Request& r) { return all->claim(r); },
      .choose = [parts](const Request& r) { return compositions::chosen_by(parts(r)); },
      .parts = parts,
  };
  const std::string size = ranks == 0 ? "" : fmt::format("{}, ", ranks);
  return compositions::composed(
      fmt::format("levels({}{}, {})", size, x.name, y.name),
      x.source == y.source ? std::string(x.source) : fmt::format("{}; {}", x.source, y.source),
      ranks == 0 ? std::vector<std::string>{"cluster", "crossbar"}
                 : std::vector<std::string>{"duplex", "kport"},
      std::move(entry));
}

}  // namespace schedcc
