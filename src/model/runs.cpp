#include "model/runs.hpp"

#include <algorithm>

namespace schedcc {

std::vector<Run> merged(std::span<const Run> runs, bool overlap) {
  std::vector<Run> sorted(runs.begin(), runs.end());
  std::ranges::stable_sort(sorted, {}, &Run::first);
  std::vector<Run> result;
  for (const Run& run : sorted) {
    const bool joins = !result.empty() && (end(result.back()) == run.first ||
                                           (overlap && end(result.back()) > run.first));
    if (!joins) {
      result.push_back(run);
    } else if (end(run) > end(result.back())) {
      result.back().count = static_cast<std::uint32_t>(end(run) - result.back().first);
    }
  }
  return result;
}

bool contains(std::span<const Run> runs, Chunk chunk) {
  const auto after = std::ranges::upper_bound(runs, chunk, {}, &Run::first);
  return after != runs.begin() && chunk < end(*std::prev(after));
}

std::uint64_t next_border(std::span<const Run> runs, Chunk chunk) {
  const auto after = std::ranges::upper_bound(runs, chunk, {}, &Run::first);
  if (after != runs.begin() && chunk < end(*std::prev(after))) return end(*std::prev(after));
  return after == runs.end() ? std::uint64_t{1} << 32 : after->first;
}

}  // namespace schedcc
