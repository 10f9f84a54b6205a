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
// With segments=S the chunks, of the vector or of every block, are S parts, and stage j of part i
// is at work at the same time as stage j + 1 of part i - 1; the own node's blocks of an allgather,
// or reduce-scatter, are within the node while those of other nodes are between nodes.
//
// Source: Träff, Hunold, "Decomposing MPI Collectives for Exploiting Multi-lane Communication",
// CLUSTER 2020, arXiv 1910.13373.

#include <algorithm>
#include <set>
#include <tuple>
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
                   [mapping = group.mapping](std::uint64_t i, Transfer& t) { mapping.move(i, t); });
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
  LevelPlans(const LevelOptions& options, const Algorithm& x, const Algorithm& y)
      : options_(options), x_(x), y_(y) {
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
    return all_stages(r, options_, *found);
  }
  /// The different ones: rails differ by a chunk, and segments.
  std::vector<AlgorithmPart> parts(const Request& r) const {
    std::vector<AlgorithmPart> result;
    std::set<std::tuple<std::string_view, Collective, std::uint32_t>> seen;
    for (const Stage& stage : stages(r)) {
      for (const Group& group : stage) {
        const Problem& own = group.part.request.problem;
        if (seen.emplace(group.part.algorithm.name, own.collective, own.chunks).second)
          result.push_back(group.part);
      }
    }
    return result;
  }

  std::optional<std::string> reason(const Request& r) const {
    if (r.machine.timing() != nullptr)
      return fmt::format("its levels alternate step by step, but a step of {} is a cycle of LogP",
                         r.machine.spec());
    const std::uint64_t P = r.problem.ranks, ranks = options_.ranks;
    if (ranks == 0 && ranks_of_node(r.machine) == 0) {
      return fmt::format(
          "{} has no nodes; state the ranks of a node, as in levels(8, {}, {}), or a machine with "
          "nodes: cluster, crossbar, or a topology with groups",
          r.machine.spec(), x_.name, y_.name);
    }
    if (ranks != 0 && P % ranks != 0)
      return fmt::format("{} ranks cannot be divided into nodes of {}", P, ranks);
    if (auto why = against_segments(r)) return why;
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
  std::optional<std::string> against_segments(const Request& r) const {
    const std::uint64_t segments = options_.segments;
    if (r.problem.chunks < segments) {
      return fmt::format("its {} segments need a chunk each{}: at least --chunks {}, not {}",
                         segments, info(r.problem.collective).blocks > 0 ? " of every block" : "",
                         segments, r.problem.chunks);
    }
    if (segments > 0 && r.problem.ordered && r.problem.collective == reduce_scatter)
      return "stages that overlap add the contributions of a node while those of other nodes "
             "arrive: operands are not in order";
    return std::nullopt;
  }

  LevelOptions options_;
  Algorithm x_, y_;
  std::vector<LevelAlgorithms> variants_;
};

}  // namespace

}  // namespace two_levels

Algorithm levels(std::uint64_t ranks, const Algorithm& x, const Algorithm& y,
                 std::uint64_t segments) {
  if (x.hops || y.hops) {
    throw InputError(
        fmt::format("levels places ranks in nodes, and '{}' sends over links, hop by hop",
                    (x.hops ? x : y).name));
  }
  const auto all = std::make_shared<const two_levels::LevelPlans>(
      two_levels::LevelOptions{ranks, segments}, x, y);
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
      // Segments share the ports of a rank.
      .fits =
          [ranks, segments](const Request& r) {
            return ranks != 0 && segments == 0 && r.machine.ports() && !r.machine.simplex() &&
                   !r.machine.channels();
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
  const std::string parts_at_once = segments == 0 ? "" : fmt::format(", segments={}", segments);
  return compositions::composed(
      fmt::format("levels({}{}, {}{})", size, x.name, y.name, parts_at_once),
      x.source == y.source ? std::string(x.source) : fmt::format("{}; {}", x.source, y.source),
      ranks == 0 ? std::vector<std::string>{"cluster", "crossbar"}
                 : std::vector<std::string>{"duplex", "kport"},
      std::move(entry));
}

}  // namespace schedcc
