#include "model/runs.hpp"

#include <algorithm>
#include <cstddef>

namespace schedcc {

namespace {

/// Adjacent runs are joined; overlapping ones are joined too if `overlap`.
std::vector<Run> merged(std::span<const Run> runs, bool overlap) {
  std::vector<Run> sorted;
  if (!std::ranges::is_sorted(runs, {}, &Run::first)) {
    sorted.assign(runs.begin(), runs.end());
    std::ranges::stable_sort(sorted, {}, &Run::first);
    runs = sorted;
  }
  std::vector<Run> result;
  for (const Run& run : runs) {
    const bool joins =
        !result.empty() && end(run) - result.back().first <= UINT32_MAX &&
        (end(result.back()) == run.first || (overlap && end(result.back()) > run.first));
    if (!joins) {
      result.push_back(run);
    } else if (end(run) > end(result.back())) {
      result.back().count = static_cast<std::uint32_t>(end(run) - result.back().first);
    }
  }
  return result;
}

}  // namespace

std::vector<Run> joined_neighbours(std::span<const Run> runs) { return merged(runs, false); }

std::vector<Run> united(std::span<const Run> runs) { return merged(runs, true); }

const Run* last_from(std::span<const Run> runs, Chunk chunk) {
  if (runs.empty() || runs.front().first > chunk) return nullptr;
  const Run* last = runs.data();  // of those that begin early enough; the others are after it
  for (std::size_t left = runs.size(); left > 1;) {
    const std::size_t half = left / 2;
    last = last[half].first <= chunk ? last + half : last;
    left -= half;
  }
  return last;
}

bool contains(std::span<const Run> runs, Chunk chunk) {
  const Run* const run = last_from(runs, chunk);
  return run != nullptr && chunk < end(*run);
}

std::uint64_t next_border(std::span<const Run> runs, Chunk chunk) {
  const auto after = std::ranges::upper_bound(runs, chunk, {}, &Run::first);
  if (after != runs.begin() && chunk < end(*std::prev(after))) return end(*std::prev(after));
  return after == runs.end() ? std::uint64_t{1} << 32 : after->first;
}

std::uint64_t Runs::chunks_before(std::uint64_t chunk) const {
  std::uint64_t count = 0;
  if (listed_ != nullptr) {
    for (const Run run : *this) {
      if (chunk > run.first) count += std::min<std::uint64_t>(chunk - run.first, run.count);
    }
    return count;
  }
  if (chunk <= first_.first) return 0;
  const std::uint64_t offset = chunk - first_.first;
  const std::uint64_t before = stride_ == 0 ? 0 : std::min<std::uint64_t>(offset / stride_, size_);
  if (before == size_) return before * first_.count;
  return before * first_.count + std::min<std::uint64_t>(offset - before * stride_, first_.count);
}

bool Runs::contains(Chunk chunk) const {
  if (listed_ != nullptr) return schedcc::contains({listed_, size_}, chunk);
  if (empty() || chunk < first_.first) return false;
  const std::uint64_t offset = chunk - first_.first;
  const std::uint64_t before = stride_ == 0 ? 0 : offset / stride_;
  return before < size_ && offset - before * stride_ < first_.count;
}

}  // namespace schedcc
