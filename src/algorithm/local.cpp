// The algorithms that have a kernel.

#include "algorithm/local.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "algorithm/local_terms.hpp"
#include "core/join.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

// clang-format off
#define SCHEDCC_KERNELS(ENTRY) \
  ENTRY(linear) ENTRY(chain) ENTRY(binary_tree) ENTRY(fractional_tree) ENTRY(binomial_tree) \
  ENTRY(knomial_tree) ENTRY(butterfly) ENTRY(circulant) ENTRY(ring) ENTRY(recursive_doubling) \
  ENTRY(recursive_halving) ENTRY(butterfly_allreduce) ENTRY(bruck) ENTRY(pairwise) \
  ENTRY(kogge_stone) ENTRY(scatter_allgather) ENTRY(bsp_butterfly) ENTRY(xor) ENTRY(all_pairs) \
  ENTRY(binomial_allreduce) ENTRY(rabenseifner) ENTRY(two_phase) ENTRY(logp_linear)
// clang-format on

#define SCHEDCC_DECLARE(name) extern const KernelEntry name##_kernel;
SCHEDCC_KERNELS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE

namespace {

#define SCHEDCC_LIST(name) &name##_kernel,
constexpr std::array entries{SCHEDCC_KERNELS(SCHEDCC_LIST)};
#undef SCHEDCC_LIST

}  // namespace

void local_terms::require_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if ((a | b) >> 32 == 0 || a < (std::uint64_t{1} << 63) / std::max<std::uint64_t>(b, 1)) return;
  throw InputError(fmt::format("kernels need {} below 2^63", what));
}

std::shared_ptr<const LocalSchedule> local_schedule(const Algorithm& algorithm,
                                                    const LocalRequest& request) {
  const auto entry = std::ranges::find(entries, algorithm.name, &KernelEntry::algorithm);
  std::string why;
  if (entry == entries.end()) {
    why = fmt::format("it has no kernel; there are kernels of {}", join(local_algorithms(), ", "));
  } else {
    try {
      return (*entry)->make(request);
    } catch (const InputError& error) {
      why = error.what();
    }
  }
  throw InputError(fmt::format("'{}' cannot be computed rank by rank: {}", algorithm.name, why));
}

std::vector<std::string_view> local_algorithms() {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const KernelEntry* entry : entries) names.push_back(entry->algorithm);
  return names;
}

}  // namespace schedcc
