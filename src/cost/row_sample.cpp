#include "cost/row_sample.hpp"

#include <algorithm>

namespace schedcc {

namespace {

/// The ranks of a part: a few nodes of 8, so that some of their messages go from node to node.
constexpr Rank ranks_of_part = 16;

/// In pipelines ranks wait long for their first message. Those that are busy early bound the time
/// from the beginning, where most schedules are abandoned.
constexpr std::uint64_t early_row = 32;

/// Fewer parts than this are not worth the time.
constexpr std::uint64_t least_parts = 8;

/// Where rows are made as rotations, a part is that of some ranks for each seed.
Step read(const Steps& steps, std::uint64_t row, const RowParts& parts, Transfers& buffer) {
  const Steps::Rotations* const made = steps.rotated();
  if (made == nullptr) return steps.read(row, parts, buffer);
  const auto rank_at = [&](std::uint64_t part) {
    return static_cast<Rank>(part * made->ranks / parts.of);
  };
  buffer.clear();
  Step step;
  step.number = made->fill(row, rank_at(parts.first), rank_at(parts.end), buffer);
  step.transfers = buffer;
  return step;
}

}  // namespace

std::optional<RowSample> RowSample::of(const Steps& steps, Rank ranks,
                                       const std::function<double(const Step&)>& weight) {
  // Where rows have a fixed number of parts, parts are ranges of these.
  const bool fixed = steps.rotated() == nullptr && steps.parts() != Steps::any_number;
  const std::uint64_t of = fixed ? steps.parts() : ranks / ranks_of_part;
  const std::uint64_t size = fixed ? ranks_of_part : 1;
  if (steps.size() == 0 || of / size < least_parts) return std::nullopt;
  const std::uint64_t row = std::min(steps.size() / 2, early_row);
  RowParts best;
  double highest = 0;
  Transfers buffer;
  for (std::uint64_t first = 0; first + size <= of; first += size) {
    const RowParts parts{first, first + size, of};
    const Step step = read(steps, row, parts, buffer);
    const double now = step.transfers.empty() ? 0 : weight(step);
    if (now <= highest) continue;
    highest = now;
    best = parts;
  }
  return highest > 0 ? std::optional(RowSample(best)) : std::nullopt;
}

Steps RowSample::steps(const Steps& all, std::uint64_t row) const {
  return Steps(all.size() - row, [all, row, parts = parts_](std::uint64_t index, Transfers& out) {
    Transfers buffer;
    const Step step = read(all, row + index, parts, buffer);
    out.insert(out.end(), step.transfers.begin(), step.transfers.end());
    return step.number;
  });
}

}  // namespace schedcc
