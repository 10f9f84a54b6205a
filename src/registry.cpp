// The registry: the names of all entries, in the order in which they are listed. Each entry is
// defined at the end of its own file: `duplex_machine` in ports.cpp, and `chain_algorithm::entry`
// in chain.cpp, as all files of algorithms name the parts of a rule the same.

#include <span>

#include "algorithm/entry.hpp"
#include "cost/clock.hpp"
#include "format/entry.hpp"
#include "machine/entry.hpp"

namespace schedcc {

// clang-format off
#define SCHEDCC_ALGORITHMS(ENTRY) \
  ENTRY(linear) ENTRY(chain) ENTRY(binary_tree) ENTRY(fractional_tree) ENTRY(binomial_tree) \
  ENTRY(knomial_tree) ENTRY(kary_tree) ENTRY(butterfly) ENTRY(circulant) ENTRY(two_tree) \
  ENTRY(double_binary_tree) ENTRY(two_phase) \
  ENTRY(bsp_pipeline) \
  ENTRY(karp) ENTRY(logp_linear) ENTRY(logp_binary) ENTRY(logp_binomial) ENTRY(logp_knomial) \
  ENTRY(logp_kary) \
  ENTRY(ring) ENTRY(recursive_doubling) ENTRY(recursive_halving) ENTRY(butterfly_allreduce) \
  ENTRY(binomial_allreduce) ENTRY(rabenseifner) ENTRY(all_pairs) ENTRY(bruck) ENTRY(pairwise) \
  ENTRY(circulant_skips) ENTRY(pat) ENTRY(sparbit) ENTRY(neighbor_exchange) ENTRY(recexch) \
  ENTRY(dissemination) \
  ENTRY(recursive_multiplying) \
  ENTRY(kogge_stone) ENTRY(scatter_allgather) ENTRY(bsp_butterfly) ENTRY(hierarchical) \
  ENTRY(bine) ENTRY(swing) ENTRY(trivance) ENTRY(bucket) ENTRY(dual_root) ENTRY(in_order_binary) \
  ENTRY(segmented_ring) ENTRY(split_binary_tree) ENTRY(forest) ENTRY(bfb) ENTRY(in_network) \
  ENTRY(fattree_broadcast) ENTRY(furthest_first) ENTRY(flood) ENTRY(queueless) ENTRY(xor) \
  ENTRY(total_exchange) \
  ENTRY(summa) ENTRY(matmul_3d)

#define SCHEDCC_MACHINES(ENTRY) \
  ENTRY(duplex) ENTRY(simplex) ENTRY(kport) ENTRY(bsp) ENTRY(logp) ENTRY(fattree) \
  ENTRY(mesh) ENTRY(torus) ENTRY(crossbar) ENTRY(cluster) ENTRY(switch) ENTRY(topology)

#define SCHEDCC_FORMATS(ENTRY) \
  ENTRY(sched) ENTRY(binary) ENTRY(json) ENTRY(csv) ENTRY(goal) ENTRY(sccl) ENTRY(msccl) ENTRY(mscclpp) \
  ENTRY(teccl) \
  ENTRY(cpp) ENTRY(mpi) \
  ENTRY(dot) ENTRY(svg) ENTRY(png) ENTRY(pdf) ENTRY(html) ENTRY(trace) ENTRY(ti) \
  ENTRY(simgrid_platform)

#define SCHEDCC_COST_MODELS(ENTRY) \
  ENTRY(alpha_beta) ENTRY(levels) ENTRY(machine) ENTRY(logp) ENTRY(loggp) ENTRY(bsp) ENTRY(simgrid)
// clang-format on

#define SCHEDCC_DECLARE(name)          \
  namespace name##_algorithm {         \
    extern const AlgorithmEntry entry; \
  }
SCHEDCC_ALGORITHMS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE
#define SCHEDCC_DECLARE(name) extern const MachineEntry name##_machine;
SCHEDCC_MACHINES(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE
#define SCHEDCC_DECLARE(name) extern const FormatEntry name##_format;
SCHEDCC_FORMATS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE
#define SCHEDCC_DECLARE(name) extern const CostModelEntry name##_model;
SCHEDCC_COST_MODELS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE

std::span<const AlgorithmEntry* const> algorithm_entries() {
#define SCHEDCC_ADDRESS(name) &name##_algorithm::entry,
  static constexpr const AlgorithmEntry* list[] = {SCHEDCC_ALGORITHMS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const MachineEntry* const> machine_entries() {
#define SCHEDCC_ADDRESS(name) &name##_machine,
  static constexpr const MachineEntry* list[] = {SCHEDCC_MACHINES(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const FormatEntry* const> format_entries() {
#define SCHEDCC_ADDRESS(name) &name##_format,
  static constexpr const FormatEntry* list[] = {SCHEDCC_FORMATS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const CostModelEntry* const> cost_model_entries() {
#define SCHEDCC_ADDRESS(name) &name##_model,
  static constexpr const CostModelEntry* list[] = {SCHEDCC_COST_MODELS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

}  // namespace schedcc
