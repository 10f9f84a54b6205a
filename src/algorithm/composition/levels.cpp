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
//   scatter          of n blocks at once in the root's node, then of one between, by all its ranks
//   gather           the reverse
//   barrier          as allgather
//
// So every rank sends a message to other nodes at once (full-lane). If X cannot do its two parts,
// or with `leaders`, one rank of each node acts for it, the leader: reduce, allreduce of the
// leaders, broadcast; gather, allgather, broadcast; reduce, reduce-scatter, scatter; broadcast of
// the leaders, broadcast; reduce, reduce of the leaders; gather of rows, alltoall of the leaders
// with m^2 items a node, scatter of columns; scatter of the leaders, scatter; gather, gather of the
// leaders. So a node has one message on its way at a time, which suits a single NIC. X may be a
// sequence of both parts, and where X is for the reverse of a part it is reversed.
//
// A scan is by leaders, the last ranks of nodes: each adds the contributions of its node, which
// come directly, so that all others still have theirs alone; the leaders scan, and so have their
// results; each sends it to the first rank of the next node, which adds it to its contribution, and
// all ranks but the last of a node scan. Every rank has then added each contribution up to its own
// once, and in order: those of former nodes are in the node's first. After an exclusive scan rank r
// has what rank r - 1 has after the other one, and rank 0 anything: so a step follows in which all
// ranks send their results to the next one at once, which replace its own.
//
// An alltoall by leaders leaves out what ranks have for themselves, one of the P items of each row,
// and of each column. If whole rows are gathered, and whole columns scattered, every message there
// is smaller by a P-th, which their parts say (AlgorithmPart::left_out).
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
  const Request& request = group.part.request;
  const Problem& own = request.problem;
  Steps steps = group.part.algorithm.steps(request);
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

/// What ranks have for themselves is not sent to the leader of a node and back.
Steps without_own_blocks(Steps steps, std::uint64_t P, std::uint64_t K) {
  const std::uint64_t rows = steps.size();
  return Steps(rows, [steps = std::move(steps), P, K](std::uint64_t row, Transfers& out) {
    Transfers whole;
    const std::uint64_t number = steps.fill(row, whole);
    const auto own = [P, K](Chunk chunk) { return chunk / K / P == chunk / K % P; };
    // Such blocks are P + 1 blocks apart.
    const auto end = [&](Chunk chunk) {
      const std::uint64_t next = chunk / (K * (P + 1)) * (P + 1) * K;  // an own block's begin
      return chunk < next + K ? next + K : next + K * (P + 1);
    };
    for (const Transfer& run : whole) {
      for_each_piece(run, end, [&](const Transfer& piece) {
        if (!own(piece.first)) out.push_back(piece);
      });
    }
    return number;
  });
}

/// The volume of a part that claims one with all chunks; 0: unknown.
std::uint64_t volume_of(const AlgorithmPart& part, std::uint64_t volume) {
  const auto& [algorithm, request, left_out] = part;
  if (left_out == 0) return volume;
  const bool whole_blocks =
      algorithm.whole_blocks || scaling(algorithm, request) == Scaling::blocks;
  const std::uint64_t block = request.problem.chunks;
  return whole_blocks ? volume / block * (block - left_out) : 0;
}

/// What a stage claims: the largest of its groups.
CostClaim stage_claim(const Stage& stage) {
  CostClaim result{.steps = 0};
  std::uint64_t least = UINT64_MAX;
  bool equal = true;
  for (const Group& group : stage) {
    const Problem& own = group.part.request.problem;
    const CostClaim claim = group.part.algorithm.claim(group.part.request);
    least = std::min(least, claim.steps);
    equal &= group.total == 0 || own.total_chunks() == group.total;
    result.steps = std::max(result.steps, claim.steps);
    result.exact &= claim.exact;
    result.idle |= claim.idle;
    result.volume = volume_of(group.part, claimed_volume(claim));
  }
  if (stage.size() > 1) result.volume = 0;
  if (!equal) return {.steps = result.steps, .exact = false, .idle = true};
  result.exact &= stage.size() == 1 || least == result.steps;
  return result;
}

class LevelPlans {
 public:
  LevelPlans(const LevelOptions& options, const WithinNodes& x, const Algorithm& y)
      : options_(options), x_(x.name()), y_(y.name) {
    for (const Collective c : level_collectives()) {
      if (auto algorithms = algorithms_for(c, x, y, options.leaders))
        variants_.push_back(std::move(*algorithms));
    }
  }

  std::vector<Collective> collectives() const {
    std::vector<Collective> result;
    for (const LevelAlgorithms& algorithms : variants_) result.push_back(algorithms.phases.whole);
    return result;
  }

  const LevelAlgorithms& algorithms(const Request& r) const {
    return *std::ranges::find(variants_, r.problem.collective,
                              [](const LevelAlgorithms& of) { return of.phases.whole; });
  }
  std::vector<Stage> stages(const Request& r) const {
    return all_stages(r, options_, algorithms(r));
  }
  /// Those of every stage, of which each is there once: rails differ by a chunk. With segments the
  /// stages repeat, and the parts are the different ones of all.
  std::vector<AlgorithmPart> parts(const Request& r) const {
    std::vector<AlgorithmPart> result;
    std::set<std::tuple<std::string_view, Collective, Rank, std::uint32_t>> seen;
    for (const Stage& stage : stages(r)) {
      if (options_.segments <= 1) seen.clear();
      for (const Group& group : stage) {
        const Problem& own = group.part.request.problem;
        if (seen.emplace(group.part.algorithm.name, own.collective, own.ranks, own.chunks).second)
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
    if (ranks == 0 && ranks_of_node(r.machine, options_.inner) == 0) {
      const bool several = options_.inner > 0;
      return fmt::format(
          "{} has no nodes{}; state the ranks of {}, or a machine with {}: cluster, {}topology "
          "with groups",
          r.machine.spec(),
          several ? fmt::format(" on {} levels, one in another", options_.inner + 1) : "",
          several ? "a node on every level, as in levels(32, levels(8, X, Y), Z)"
                  : fmt::format("a node, as in levels(8, {}, {})", x_, y_),
          several ? "them" : "nodes", several ? "or a " : "crossbar, or a ");
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
    const Problem& problem = r.problem;
    return problem.collective == alltoall && algorithms(r).phases.leaders
               ? without_own_blocks(std::move(result), problem.ranks, problem.chunks)
               : result;
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
    if (!known || r.problem.tokens()) result.volume = 0;
    return result;
  }

 private:
  std::optional<std::string> against_segments(const Request& r) const {
    const std::uint64_t segments = options_.segments;
    if (r.problem.chunks < segments) {
      return fmt::format("its {} segments need a chunk each{}: at least --chunks {}, not {}",
                         segments, r.problem.in_blocks() ? " of every block" : "", segments,
                         r.problem.chunks);
    }
    if (segments > 0 && r.problem.ordered && r.problem.collective == reduce_scatter)
      return "stages that overlap add the contributions of a node while those of other nodes "
             "arrive: operands are not in order";
    return std::nullopt;
  }

  LevelOptions options_;
  std::string x_, y_;
  std::vector<LevelAlgorithms> variants_;
};

}  // namespace

}  // namespace two_levels

namespace {

void refuse_hops(const Algorithm& x) {
  if (!x.hops) return;
  throw InputError(
      fmt::format("levels places ranks in nodes, and '{}' sends over links, hop by hop", x.name));
}

/// No collective is made of the two: says what X would have to be for a collective of Y, or that
/// there is none.
[[noreturn]] void refuse_levels(const LevelOptions& options, const WithinNodes& x,
                                const Algorithm& y) {
  throw InputError(fmt::format(
      "'{}' ({}) within nodes and '{}' ({}) between them do not fit together: {}", x.name(),
      compositions::names_of(x.collectives()), y.name, compositions::names_of(y.collectives),
      two_levels::wanted_within(y, options.leaders)));
}

}  // namespace

WithinNodes before_and_after(const Algorithm& x, const Algorithm& y) {
  return {is_sequence(x, y) ? std::optional(sequence(x, y)) : std::nullopt, x, y};
}

std::string WithinNodes::name() const {
  return whole ? std::string(whole->name)
               : fmt::format("{} then {}", before->name, compositions::in_parentheses(after->name));
}

std::vector<Collective> WithinNodes::collectives() const {
  std::vector<Collective> result;
  for (const auto* x : {&whole, &before, &after}) {
    if (!*x || (whole && x != &whole)) continue;
    for (const Collective c : (*x)->collectives) {
      if (std::ranges::find(result, c) == result.end()) result.push_back(c);
    }
  }
  return result;
}

Algorithm levels(const LevelOptions& options, const WithinNodes& x, const Algorithm& y) {
  for (const auto* part : {&x.whole, &x.before, &x.after}) {
    if (*part) refuse_hops(**part);
  }
  refuse_hops(y);
  const auto all = std::make_shared<const two_levels::LevelPlans>(options, x, y);
  if (all->collectives().empty()) refuse_levels(options, x, y);
  AlgorithmEntry entry{
      .collectives = all->collectives(),
      // With a number it depends on the ports alone: nodes, and rails, are at work side by side.
      // Segments share the ports of a rank.
      .fits =
          [options](const Request& r) {
            return options.ranks != 0 && options.segments == 0 && r.machine.ports() &&
                   !r.machine.simplex() && !r.machine.channels();
          },
      .reason = [all](const Request& r) { return all->reason(r); },
      .build = [all](const Request& r) { return all->build(r); },
      .claim = [all](const Request& r) { return all->claim(r); },
      .parts = [all](const Request& r) { return all->parts(r); },
  };
  const std::string size = options.ranks == 0 ? "" : fmt::format("{}, ", options.ranks);
  const std::string leaders = options.leaders ? ", leaders" : "";
  const std::string segments =
      options.segments == 0 ? "" : fmt::format(", segments={}", options.segments);
  const std::string_view source = (x.whole ? x.whole : x.before)->source;
  return compositions::composed(
      fmt::format("levels({}{}, {}{}{})", size, x.name(), y.name, leaders, segments),
      source == y.source ? std::string(source) : fmt::format("{}; {}", source, y.source),
      options.ranks == 0 ? std::vector<std::string>{"cluster", "crossbar"}
                         : std::vector<std::string>{"duplex", "kport"},
      std::move(entry));
}

}  // namespace schedcc
