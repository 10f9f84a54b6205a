// Hierarchical allreduce: reduce-scatter within a module, allreduce across modules, allgather
// within.
//
// On an a x b crossbar the vector is cut into as many blocks as a module has carriers, all b PUs
// unless `carriers` says otherwise. First every module reduces each block to the carrier with its
// number, around the ring of its PUs. Then the carriers of a block, one in each module, reduce it
// among themselves, around the ring of modules: each sends one message a step out of its module and
// receives one. At most c = min(in, out) blocks may do so at the same time, so they proceed in
// ceil(min(K, carriers) / c) waves (of fewer chunks than carriers some blocks are empty). Finally
// the modules gather all blocks. In all
//     2 (b-1) + ceil(min(K, carriers) / c) 2 (a-1)
// steps. With b carriers the messages within modules are small; with c carriers, one wave, there
// are the fewest steps, as is best for short vectors.
//
// The nodes of a cluster are modules. Its carriers, at most K of them, are then those with the
// lowest numbers, and the blocks of a wave use different NICs: with rails every message between
// nodes stays on its rail. One block around the ring of nodes sends one message out of each group
// of nodes, and one into it, and over the spine one for each of the groups that it connects; c is
// the number of blocks for which all of that has room.
//
// On other machines with levels, topologies that state groups, the smallest groups are modules, and
// all blocks are under way at once; the checks decide whether the schedule holds.
//
// It is bandwidth-optimal across modules: 2 K (a-1)/a chunks leave each of them, as for a ring.
//
// Source: CC, Recursive allreduce (an allreduce as reduce-scatter and allgather), on FT's
// hierarchical crossbar, section 4.

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "algorithm/from_kernel.hpp"
#include "algorithm/kernel/ring.hpp"
#include "algorithm/shapes.hpp"
#include "machine/cluster.hpp"
#include "model/algebra.hpp"

namespace schedcc::hierarchical_algorithm {

namespace {

struct Decomposition {
  std::uint64_t a, b, K;
  std::uint64_t carriers;
  std::uint64_t at_once;  ///< c: blocks that may be under way between modules at the same time

  Run block(std::uint64_t j) const { return vector_block(K, carriers, j); }
  std::uint64_t waves() const { return ceil_div(std::min(K, carriers), at_once); }
};

/// c on a cluster; 0 if there is no room for a block.
std::uint64_t at_once(const Cluster& cluster) {
  const std::size_t outermost = cluster.levels.size() - 1;
  std::uint64_t result = cluster.nics;
  for (std::size_t l = 1; l < outermost; ++l) result = std::min(result, cluster.levels[l].capacity);
  const auto& [members, ranks, capacity, blocking] = cluster.levels[outermost];
  if (blocking && !cluster.avoids_spine(static_cast<std::uint32_t>(outermost)))
    result = std::min(result, capacity / members);
  return result;
}

Decomposition decomposition(const Request& r) {
  const std::uint64_t K = r.problem.chunks;
  const auto carriers_of = [&](std::uint64_t b) {
    return r.parameters.has("carriers") ? r.parameters.integer("carriers") : b;
  };
  if (const auto* cluster = r.machine.shape<Cluster>()) {
    const std::uint64_t b = cluster->levels[0].ranks;
    return {cluster->levels.back().ranks / b, b, K, std::min(carriers_of(b), K), at_once(*cluster)};
  }
  if (const auto* crossbar = r.machine.shape<Crossbar>()) {
    const auto& [a, b, in, out] = *crossbar;
    return {a, b, K, carriers_of(b), std::min(in, out)};
  }
  const std::uint64_t b = r.machine.levels()->groups[0].ranks;
  return {r.problem.ranks / b, b, K, std::min(carriers_of(b), K), b};
}

/// An allgather of that many blocks around the ring of ranks 0..P-1.
Steps ring(std::uint64_t P, std::uint64_t total, std::uint64_t blocks) {
  return from_kernel(local::RingAllgather(P, total, blocks), P);
}

/// A whole vector in each module, from its carriers.
Steps within(const Decomposition& s) {
  return replicate(ring(s.b, s.K, s.carriers), s.a,
                   [b = static_cast<Rank>(s.b)](std::uint64_t module, Transfer& t) {
                     t.src += static_cast<Rank>(module) * b;
                     t.dst += static_cast<Rank>(module) * b;
                   });
}

/// The allreduce of block j among its carriers.
Steps across(const Decomposition& s, std::uint64_t j) {
  const Run block = s.block(j);
  const Steps gather =
      each_transfer(ring(s.a, block.count, s.a), [=, b = static_cast<Rank>(s.b)](Transfer& t) {
        t.src = t.src * b + static_cast<Rank>(j);
        t.dst = t.dst * b + static_cast<Rank>(j);
        t.first += block.first;
      });
  return sequence(reverse_reducing(gather), gather);
}

Steps build(const Request& r) {
  const Decomposition s = decomposition(r);
  std::vector<Steps> waves, wave;
  for (std::uint64_t j = 0; j < s.carriers; ++j) {
    if (s.block(j).count > 0) wave.push_back(across(s, j));
    if (wave.size() < s.at_once && j + 1 < s.carriers) continue;
    if (!wave.empty()) waves.push_back(parallel(std::exchange(wave, {})));
  }
  const Steps gather = within(s);
  return sequence(reverse_reducing(gather), sequence(sequence(std::move(waves)), gather));
}

std::optional<std::string> reason(const Request& r) {
  const Machine& machine = r.machine;
  if (!machine.shape<Crossbar>() && !machine.shape<Cluster>() && !machine.levels()) {
    return fmt::format(
        "it needs a machine with modules (crossbar, cluster, or a topology with groups), not {}",
        machine.spec());
  }
  const Decomposition s = decomposition(r);
  if (r.parameters.has("carriers") && r.parameters.integer("carriers") > s.b) {
    return fmt::format("{} carriers are too many for a module of b = {} ranks",
                       r.parameters.integer("carriers"), s.b);
  }
  if (s.at_once == 0) {
    return fmt::format("the spine of {} has no capacity for a ring of the nodes", r.machine.spec());
  }
  return std::nullopt;
}

/// Of the blocks for the ranks of a ring, only those of the first and of the last rank collect
/// their contributions without wrapping around before they are complete.
bool ends_only(std::uint64_t P, std::uint64_t total, std::uint64_t parts) {
  const std::uint64_t end = std::min(parts, P - 1);
  return P <= 2 || end <= 1 || vector_block(total, parts, 1, end - 1).count == 0;
}

std::optional<std::string> order(const Request& r) {
  const Decomposition s = decomposition(r);
  bool kept = ends_only(s.b, s.K, s.carriers);
  for (std::uint64_t j = 0; j < s.carriers; ++j)
    kept = kept && ends_only(s.a, s.block(j).count, s.a);
  if (kept) return std::nullopt;
  return "contributions are combined around rings, which wrap from the last rank or module to the "
         "first";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "hierarchical",
    .summary = "reduce-scatter within a module, allreduce across modules, allgather within",
    .source = "CC, Recursive allreduce; FT, section 4",
    .collectives = {Collective::allreduce},
    .machines = {"crossbar", "cluster"},
    .parameters = {{.name = "carriers",
                    .summary = "ranks of a module that exchange with other modules (default: all)",
                    .min = 1,
                    .max = UINT32_MAX}},
    .reason = reason,
    .order = order,
    .whole_only = "it joins whole schedules, within the modules and across them",
    .build = build,
    .claim =
        [](const Request& r) {
          const Decomposition s = decomposition(r);
          const bool whole = s.K % (s.a * s.carriers) == 0;  // no block is cut unevenly
          const std::uint64_t block = s.K / s.carriers;
          return CostClaim{
              .steps = 2 * (s.b - 1) + s.waves() * 2 * (s.a - 1),
              .volume = whole ? 2 * (s.b - 1) * block + s.waves() * 2 * (s.a - 1) * block / s.a : 0,
              .steps_formula = "2 (b - 1) + 2 (a - 1) waves",
              .volume_formula = "(2 (b - 1) + 2 waves (a - 1)/a) / carriers"};
        },
};

}  // namespace schedcc::hierarchical_algorithm
