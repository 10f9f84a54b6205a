#include "cli/chunk_advice.hpp"

#include <cstdint>

#include <fmt/core.h>

#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

/// The volume that the algorithm claims for that many chunks in as many steps as `steps`, in units
/// of the whole message; none if it claims no volume, or other steps.
std::optional<double> claimed_volume(const Algorithm& algorithm, Request request, Chunk chunks,
                                     std::uint64_t steps) {
  request.problem.chunks = chunks;
  if (algorithm.reason(request)) return std::nullopt;
  const CostClaim claim = algorithm.claim(request);
  const std::uint64_t volume = claim.width == 1 ? claim.steps : claim.volume;
  if (volume == 0 || !claim.exact || claim.steps != steps) return std::nullopt;
  return static_cast<double>(volume) / chunks;
}

}  // namespace

std::optional<std::string> more_chunks(const Algorithm& algorithm, const Request& request) {
  const Problem& problem = request.problem;
  const bool cut = !problem.in_blocks();  // K is that of the message
  if (!cut || problem.declared() || problem.ranks == 1 || request.block_sizes ||
      !algorithm.meets_claim(request)) {
    return std::nullopt;
  }
  const std::uint64_t steps = algorithm.claim(request).steps;
  const auto whole = claimed_volume(algorithm, request, 1, steps);
  const auto parts = claimed_volume(algorithm, request, problem.ranks, steps);
  if (!whole || !parts || *parts >= *whole) return std::nullopt;
  return fmt::format(
      "the message is one chunk, the default; with --chunks {}, one for each rank, it takes as "
      "many steps and the volume of {:.3g} messages instead of {:.3g}",
      problem.ranks, *parts, *whole);
}

}  // namespace schedcc::cli
