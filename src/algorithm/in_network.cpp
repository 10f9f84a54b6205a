// Through switches that copy and combine: a rank that others have data for gets it as one message,
// combined on the way, and a rank that has data for all sends one message, copied on the way.
//
// Broadcast and reduce take one step, for any P. An allgather takes ceil(P/m) steps if in each of
// them m ranks send their blocks to all: with k ports m is at most k, since ranks receive m
// messages. Reversed it is a reduce-scatter.
//
// In the allreduce chunks are added up at m ranks, the owners, one at each at a time, and sent from
// there to all. A single owner sends none of its own contributions, so that it can send chunk j
// while it gets chunk j + 1: s + 1 steps for s chunks, in which a rank sends and receives s chunks,
// against 2 (P - 1)/P s without switches. Several owners also send contributions to one another; in
// the same step their sums would then be in messages of different contents, which are no multicast:
// 2 ceil(s/m) steps. With P owners, and a chunk for each, these are the two steps of NCCL's NVLS.
// Through a tree of switches messages are combined, and copied, at every switch of the tree
// (SHARP).
//
// An operator must commute: an owner that is neither the first rank nor the last one gets the
// contributions of ranks on both of its sides combined.
//
// Sources: Klenk, Jiang, Thorson, Dennison 2020, doi 10.1109/ISCA45697.2020.00085; Graham et al.
// 2016 (SHARP), doi 10.1109/COMHPC.2016.006; NCCL, src/device/all_reduce.h (NVLS).

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"

namespace schedcc::in_network_algorithm {

namespace {

/// The ranks that send to all, or are sent to by all, in a step. Where messages share the bandwidth
/// of links several owners of an allreduce do not gain what they lose.
std::uint64_t owners(const Request& r) {
  const bool one = r.problem.collective == Collective::allreduce &&
                   r.machine.channels() != nullptr && r.machine.channels()->shared();
  const std::uint64_t chosen = one ? 1 : ports_of(r);
  return std::min<std::uint64_t>(
      r.parameters.has("owners") ? r.parameters.integer("owners") : chosen, r.problem.ranks);
}

bool rooted_at_one(const Request& r) {
  return r.problem.collective == Collective::broadcast ||
         r.problem.collective == Collective::reduce;
}

/// What `to_all` a rank sends to all others, or they to it as reductions.
void exchange(std::uint64_t P, std::uint64_t owner, Run chunks, bool to_all, Transfers& out) {
  for (std::uint64_t other = 0; other < P; ++other) {
    if (other == owner) continue;
    const auto [src, dst] = to_all ? std::pair(owner, other) : std::pair(other, owner);
    out.push_back(transfer(static_cast<Rank>(src), static_cast<Rank>(dst), chunks.first,
                           chunks.count, !to_all));
  }
}

/// Each rank's block to all others.
Steps allgather(std::uint64_t P, std::uint64_t K, std::uint64_t m) {
  return every_step(ceil_div(P, m), [=](std::uint64_t t, Transfers& out) {
    for (std::uint64_t owner = m * t; owner < std::min(P, m * t + m); ++owner) {
      exchange(P, owner, {static_cast<Chunk>(owner * K), static_cast<std::uint32_t>(K)}, true, out);
    }
  });
}

std::uint64_t allreduce_steps(std::uint64_t K, std::uint64_t m) {
  return m == 1 ? K + 1 : 2 * ceil_div(K, m);
}

Steps allreduce(std::uint64_t P, std::uint64_t K, std::uint64_t m) {
  return every_step(allreduce_steps(K, m), [=](std::uint64_t t, Transfers& out) {
    const auto turn = [&](std::uint64_t number, bool to_all) {
      for (std::uint64_t c = m * number; c < std::min(K, m * number + m); ++c)
        exchange(P, c % m, {static_cast<Chunk>(c), 1}, to_all, out);
    };
    if (m > 1) return turn(t / 2, t % 2 == 1);
    turn(t, false);
    if (t > 0) turn(t - 1, true);
  });
}

Steps build(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, m = owners(r);
  if (rooted_at_one(r)) {
    const bool to_all = r.problem.collective == Collective::broadcast;
    const Run all{0, r.problem.chunks};
    return every_step(1, [=, root = r.problem.root](std::uint64_t, Transfers& out) {
      exchange(P, root, all, to_all, out);
    });
  }
  if (r.problem.collective == Collective::allreduce) return allreduce(P, K, m);
  return from_allgather(r.problem, allgather(P, K, m));
}

/// What it needs switches to do.
SwitchRules needed(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::allgather:
      return {true, false};
    case Collective::allreduce:
      return {true, true};
    default:
      return {false, true};
  }
}

std::optional<std::string> reason(const Request& r) {
  const SwitchRules need = needed(r.problem.collective), has = r.machine.in_network();
  const std::string& machine = r.machine.spec();
  if (need.multicast && !has.multicast)
    return fmt::format("it needs switches that multicast; {} has none", machine);
  if (need.reduces && !has.reduces)
    return fmt::format("it needs switches that reduce; {} has none", machine);
  if (rooted_at_one(r) || owners(r) <= ports_of(r)) return std::nullopt;
  return fmt::format("with owners={0} it takes {0} ports; {1} has {2}", owners(r), machine,
                     ports_of(r));
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, m = owners(r);
  if (rooted_at_one(r))
    return {.steps = 1, .volume = K, .steps_formula = "1", .volume_formula = "1"};
  if (r.problem.collective == Collective::allreduce) {
    return {.steps = allreduce_steps(K, m),
            .width = 1,
            .steps_formula = m == 1 ? "s + 1" : "2 ceil(s/owners)"};
  }
  const std::string_view formula = m == 1 ? "P" : "ceil(P/owners)";
  return {.steps = ceil_div(P, m),
          .volume = ceil_div(P, m) * K,
          .steps_formula = formula,
          .volume_formula = formula};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "in-network",
    .summary = "switches combine what all ranks send to one, and copy what one sends to all",
    .source = "Klenk et al. 2020, doi 10.1109/ISCA45697.2020.00085; SHARP, Graham et al. 2016",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                    Collective::broadcast, Collective::reduce},
    .machines = {"switch"},
    .fits = [](const Request& r) { return !reason(r).has_value(); },
    .parameters = {{.name = "owners",
                    .summary = "ranks that reduce, or multicast, in the same step (default: the "
                               "ports of a rank; 1 for an allreduce on shared links)",
                    .min = 1,
                    .max = UINT32_MAX}},
    .reason = reason,
    .order = [](const Request& r) -> std::optional<std::string> {
      if (r.problem.ranks == 2) return std::nullopt;
      return "switches combine messages in any order";
    },
    .whole_only =
        "switches combine and copy what ranks send, and its transfers are their hops, too",
    .scaling = larger_blocks,
    .build = build,
    .claim = claim,
    .choose =
        [](const Request& r) {
          return rooted_at_one(r) ? ChosenParameters() : chosen_if_open(r, "owners", owners(r));
        },
};

}  // namespace schedcc::in_network_algorithm
