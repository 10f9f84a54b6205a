#include "schedcc/registry.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "check/checks.hpp"
#include "core/join.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

// The registry: nothing but the names of the things that there are, in the order in which they are
// listed. Each is defined at the end of its own file: `chain_algorithm` in chain.cpp.

namespace schedcc {

// clang-format off
#define SCHEDCC_ALGORITHMS(ENTRY) \
  ENTRY(linear) ENTRY(chain) ENTRY(binary_tree) ENTRY(fractional_tree) ENTRY(binomial_tree) \
  ENTRY(knomial_tree) ENTRY(kary_tree) ENTRY(butterfly) ENTRY(circulant) ENTRY(two_tree) \
  ENTRY(two_phase) \
  ENTRY(bsp_pipeline) \
  ENTRY(karp) ENTRY(logp_linear) ENTRY(logp_binary) ENTRY(logp_binomial) ENTRY(logp_knomial) \
  ENTRY(logp_kary) \
  ENTRY(ring) ENTRY(recursive_doubling) ENTRY(recursive_halving) ENTRY(butterfly_allreduce) \
  ENTRY(binomial_allreduce) ENTRY(rabenseifner) ENTRY(all_pairs) ENTRY(bruck) ENTRY(pairwise) \
  ENTRY(kogge_stone) ENTRY(scatter_allgather) ENTRY(bsp_butterfly) ENTRY(hierarchical) \
  ENTRY(fattree_broadcast) ENTRY(furthest_first) ENTRY(flood) ENTRY(queueless) ENTRY(xor) \
  ENTRY(total_exchange) \
  ENTRY(summa) ENTRY(matmul_3d)

#define SCHEDCC_MACHINES(ENTRY) \
  ENTRY(duplex) ENTRY(simplex) ENTRY(kport) ENTRY(bsp) ENTRY(logp) ENTRY(fattree) \
  ENTRY(mesh) ENTRY(torus) ENTRY(crossbar) ENTRY(topology)

#define SCHEDCC_FORMATS(ENTRY) \
  ENTRY(sched) ENTRY(json) ENTRY(csv) ENTRY(goal) ENTRY(sccl) ENTRY(msccl) ENTRY(cpp) ENTRY(mpi) \
  ENTRY(dot) ENTRY(trace) ENTRY(ti)
// clang-format on

#define SCHEDCC_DECLARE(name) extern const Algorithm name##_algorithm;
SCHEDCC_ALGORITHMS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE
#define SCHEDCC_DECLARE(name) extern const MachineEntry name##_machine;
SCHEDCC_MACHINES(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE
#define SCHEDCC_DECLARE(name) extern const Format name##_format;
SCHEDCC_FORMATS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE

extern const CostModelEntry alpha_beta_model, logp_model, loggp_model, bsp_model;

std::span<const Algorithm* const> algorithms() {
#define SCHEDCC_ADDRESS(name) &name##_algorithm,
  static constexpr const Algorithm* list[] = {SCHEDCC_ALGORITHMS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const MachineEntry* const> machines() {
#define SCHEDCC_ADDRESS(name) &name##_machine,
  static constexpr const MachineEntry* list[] = {SCHEDCC_MACHINES(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const Format* const> formats() {
#define SCHEDCC_ADDRESS(name) &name##_format,
  static constexpr const Format* list[] = {SCHEDCC_FORMATS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::span<const CostModelEntry* const> cost_models() {
  static constexpr const CostModelEntry* list[] = {&alpha_beta_model, &logp_model, &loggp_model,
                                                   &bsp_model};
  return list;
}

std::vector<CheckInfo> checks() {
  std::vector<CheckInfo> result;
  for (const CheckEntry* entry : check_entries()) result.push_back({entry->name, entry->summary});
  return result;
}

namespace {

/// The number of letters to insert, remove, change or swap to turn `a` into `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// More names than these are not listed in a message.
constexpr std::size_t most_listed = 12;

template <typename T>
const T& find(std::span<const T* const> list, std::string_view what, std::string_view name) {
  std::vector<std::string_view> names;
  for (const T* item : list) {
    if (item->name == name) return *item;
    names.push_back(item->name);
  }
  if (names.size() > most_listed && nearest(name, names).empty()) {
    throw InputError(fmt::format("unknown {} '{}'; there are {}: schedcc list {}s", what,
                                 printable(name), names.size(), what));
  }
  throw InputError(unknown(what, name, names));
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  // Long names cost quadratic time and are near to nothing.
  const std::string_view shown = name.substr(0, 64);
  std::string_view nearest;
  std::size_t least = shown.size() / 3 + 1;  // so many mistakes are too many
  for (const std::string_view candidate : candidates) {
    std::size_t far = distance(shown, candidate);
    if (shown.size() >= 3 && candidate.starts_with(shown)) far = std::min<std::size_t>(far, 1);
    if (far < least || (nearest.empty() && far == 1))
      std::tie(least, nearest) = std::pair(far, candidate);
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  if (const std::string_view near = nearest(name, candidates); !near.empty())
    return fmt::format("; did you mean '{}'?", near);
  return fmt::format("; there {} {}", candidates.size() == 1 ? "is" : "are",
                     join(candidates, ", "));
}

std::string unknown(std::string_view what, std::string_view name,
                    std::span<const std::string_view> candidates) {
  return fmt::format("unknown {} '{}'{}", what, printable(name), suggestion(name, candidates));
}

const Algorithm& find_algorithm(std::string_view name) {
  return find(algorithms(), "algorithm", name);
}
const MachineEntry& find_machine(std::string_view name) {
  return find(machines(), "machine", name);
}
const Format& find_format(std::string_view name) {
  const auto named = [&](const Format* format) { return format->name == name; };
  if (std::ranges::none_of(formats(), named)) {
    if (const Format* format = format_by_extension(fmt::format("a.{}", name))) {
      throw InputError(
          fmt::format("unknown format '{}'; did you mean '{}'?", printable(name), format->name));
    }
  }
  return find(formats(), "format", name);
}
const CostModelEntry& find_cost_model(std::string_view name) {
  return find(cost_models(), "cost model", name);
}

Collective find_collective(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& c : collectives()) {
    if (c.name == name) return c.collective;
    names.push_back(c.name);
  }
  throw InputError(unknown("collective", name, names));
}

}  // namespace schedcc
