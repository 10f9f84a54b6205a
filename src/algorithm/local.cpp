// Kernels by algorithm.

#include "algorithm/local.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/entry.hpp"
#include "algorithm/local_terms.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

void local_terms::require_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if ((a | b) >> 32 == 0 || a < (std::uint64_t{1} << 63) / std::max<std::uint64_t>(b, 1)) return;
  throw InputError(fmt::format("{} is not below 2^63", what));
}

std::shared_ptr<const LocalSchedule> local_schedule(const Algorithm& algorithm,
                                                    const LocalRequest& request) {
  const auto kernel = AlgorithmEntry::of(algorithm).kernel;
  std::string why;
  if (kernel == nullptr) {
    why = AlgorithmEntry::of(algorithm).whole_only;
  } else {
    try {
      return kernel(request);
    } catch (const InputError& error) {
      why = error.what();
    }
  }
  throw InputError(fmt::format("'{}' cannot be computed rank by rank: {}", algorithm.name, why));
}

}  // namespace schedcc
