// BSP butterflies: with h messages a superstep the radix is h + 1.
//
// Where a rank of the radix-2 butterfly has one partner at each level, here it has h: scatter sends
// h of h + 1 parts in one superstep, allgather receives the blocks of h others, total exchange
// moves blocks by digits of base h + 1. Gather and reduce-scatter are the reverse. That is
// ceil(log_{h+1} P) supersteps, for any P; if P = (h+1)^m each of them moves s/(h+1)^i words a
// message, h at a time, s (P-1)/P words in all, which is CC's log_{h+1}(P) alpha + s beta. With h =
// P - 1 or more each is one superstep, in which every rank sends to all others.
//
// Broadcast is a scatter, then an allgather; its reverse is reduce-scatter, then gather; allreduce
// is reduce-scatter, then allgather: twice as many supersteps. (A broadcast of one chunk needs one
// less for P = (h+1)^m + 1; see scatter_allgather.cpp.)
//
// Without `h=` it takes as many messages a superstep as the machine allows.
//
// Source: CC, "(Reduce-)Scatter and (All)Gather in BSP" and "Other collectives in BSP".

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/blocks.hpp"

namespace schedcc::bsp_butterfly_algorithm {

namespace {

std::uint64_t partners(const Machine& machine, const Parameters& given) {
  if (given.has("h")) return given.integer("h");
  return machine.ports() ? machine.ports()->send : 1;
}

/// h + 1, but no more than there are ranks.
std::uint64_t radix(const Request& r) {
  return std::min<std::uint64_t>(partners(r.machine, r.parameters) + 1, r.problem.ranks);
}

local_terms::Result kernel(const LocalRequest& r) {
  const std::uint64_t most = partners(r.machine, r.parameters) + 1;
  return circular(r, std::min(most, r.problem.ranks),
                  fmt::format("std::min<std::uint64_t>({}, ranks)", most));
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks;
  const std::uint64_t K = r.problem.chunks;
  const std::uint64_t once = ceil_log(radix(r), P);
  const std::uint64_t blocks = allgather_volume(P, radix(r));
  const bool whole_parts = K % P == 0;  // of a message
  constexpr std::string_view one = "log_{h+1} P", two = "2 log_{h+1} P";
  switch (r.problem.collective) {
    case Collective::broadcast:
    case Collective::reduce: {
      const std::uint64_t steps = scatter_allgather_steps(P, K, radix(r));
      return {.steps = steps,
              .volume = whole_parts ? 2 * blocks * (K / P) : 0,
              .steps_formula = steps == 2 * once ? two : "2 log_{h+1} P - 1",
              .volume_formula = "2/P sum of min((h+1)^i, P - (h+1)^i)"};
    }
    case Collective::allreduce:
      return {.steps = 2 * once,
              .volume = whole_parts ? 2 * blocks * (K / P) : 0,
              .steps_formula = two,
              .volume_formula = "2/P sum of min((h+1)^i, P - (h+1)^i)"};
    case Collective::alltoall:
      return {.steps = once,
              .volume = exchange_volume(P, radix(r)) * K,
              .steps_formula = one,
              .volume_formula = "all digits 1 of 1..P-1 to base h + 1"};
    default:
      return {.steps = once,
              .volume = blocks * K,
              .steps_formula = one,
              .volume_formula = "sum of min((h+1)^i, P - (h+1)^i)"};
  }
}

std::optional<std::string> order(const Request& r) {
  if (r.problem.collective == Collective::reduce)
    return trees_in_order(at_most_one_each(r), stream_of<kernel>);
  return circular_order(r.problem.ranks, radix(r));
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bsp-butterfly",
    .summary = "butterflies in which a rank has h partners at each level",
    .source = "CC, (Reduce-)Scatter and (All)Gather in BSP; Other collectives in BSP",
    .collectives = {Collective::scatter, Collective::gather, Collective::allgather,
                    Collective::reduce_scatter, Collective::broadcast, Collective::reduce,
                    Collective::allreduce, Collective::alltoall},
    .machines = {"bsp:h={h}"},
    .parameters = {{.name = "h",
                    .summary = "partners at each level (default: as many as the machine allows)",
                    .min = 1,
                    .max = (std::uint64_t{1} << 31) - 1}},
    .order = order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim = claim,
    .choose =
        [](const Request& r) { return chosen_if_open(r, "h", partners(r.machine, r.parameters)); },
};

}  // namespace schedcc::bsp_butterfly_algorithm
