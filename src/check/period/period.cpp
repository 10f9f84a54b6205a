#include "check/period/period.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/digest.hpp"
#include "check/period/cuts.hpp"
#include "check/period/repetition.hpp"
#include "check/period/waits.hpp"

namespace schedcc {

namespace {

/// Are all chunks alike?
bool alike(const Problem& problem) {
  using enum Collective;
  constexpr std::array those{broadcast, reduce, allreduce, scan, exscan};
  return std::ranges::find(those, problem.collective) != those.end() && problem.ranks >= 2;
}

/// The rows from a cut to the next one, or from the first row, or to the last.
struct Segment {
  std::uint64_t begin;        ///< in the excerpt
  std::uint64_t rows, steps;  ///< cut out before it
  std::uint64_t gap;          ///< chunks from it on are renumbered
};

std::vector<Segment> segments_of(const Cuts& cuts) {
  std::vector<Segment> result{{0, 0, 0, cuts.gaps[0]}};
  for (std::size_t i = 0; i < cuts.places.size(); ++i) {
    const auto& [x, y, period] = cuts.places[i];
    const Segment before = result.back();
    result.push_back({x - before.rows, before.rows + (y - x), before.steps + cuts.n * period.steps,
                      cuts.gaps[i + 1]});
  }
  return result;
}

/// The rows without those that are cut out.
Steps cut_out(Steps rows, const Cuts& cuts) {
  const std::uint64_t size = rows.size() - cuts.rows();
  const auto shift = static_cast<std::uint32_t>(cuts.chunks);
  return Steps(size, [segments = segments_of(cuts), shift, rows = std::move(rows)](
                         std::uint64_t row, Transfers& out) {
    const Segment& segment =
        *std::prev(std::ranges::upper_bound(segments, row, {}, &Segment::begin));
    const std::size_t begin = out.size();
    const std::uint64_t number = rows.fill(row + segment.rows, out);
    // All of its chunks are on one side of the gap.
    if (out.size() > begin && out[begin].first >= segment.gap) {
      for (std::size_t i = begin; i < out.size(); ++i) out[i].first -= shift;
    }
    return number - segment.steps;
  });
}

void add_figures(const Steps& rows, const Cuts& cuts, const Cuts::Place& place, CutOut& result) {
  result.steps += cuts.n * place.period.steps;
  Digest digest;
  Transfers buffer;
  for (std::uint64_t row = place.x; row < place.x + place.period.rows; ++row) {
    const Step step = rows.read(row, {}, buffer);
    digest.read(step);
    result.transfers += cuts.n * step.transfers.size();
    result.messages += cuts.n * digest.size();
    result.volume += cuts.n * digest.largest();
  }
}

/// The cuts of all regions, or of the longest one alone. None if less than half of the rows are cut
/// out: what is left would take too long to be checked in vain.
std::optional<Cuts> cuts_of(const Repetition& repetition, std::uint64_t chunks) {
  const std::uint64_t rows = repetition.ranges().size();
  std::vector<Region> regions = repetition.regions(rows / 16);
  const auto enough = [&](const std::optional<Cuts>& cuts) {
    return cuts && 2 * cuts->rows() >= rows;
  };
  auto cuts = find_cuts(regions, repetition.ranges(), chunks);
  if (!enough(cuts) && regions.size() > 1) {
    const auto size = [](const Region& region) { return region.end - region.begin; };
    regions = {*std::ranges::max_element(regions, {}, size)};
    cuts = find_cuts(regions, repetition.ranges(), chunks);
  }
  return enough(cuts) ? cuts : std::nullopt;
}

}  // namespace

std::optional<Excerpt> excerpt(const Source& source, const Machine& machine,
                               const CheckOptions& options, std::size_t threads,
                               const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t few_rows = 256, most_rows = 1 << 26;
  if (!alike(source.problem) || machine.ports() == nullptr || machine.routed() ||
      machine.timing() != nullptr || source.hop_level() || options.same_as != nullptr)
    return std::nullopt;
  const auto rows = source.open()->rows();
  if (!rows || rows->size() < few_rows || rows->size() > most_rows) return std::nullopt;
  const std::uint64_t longest_period = std::max<std::uint64_t>(64, rows->size() / 64);
  std::vector<Region> stretches = likely_regions(*rows, longest_period);
  if (stretches.empty()) return std::nullopt;
  Repetition repetition(*rows, std::move(stretches));
  repetition.run(threads, progress);
  const auto cuts = cuts_of(repetition, source.problem.chunks);
  if (!cuts) return std::nullopt;
  Excerpt result{source, {}};
  for (const Cuts::Place& place : cuts->places) add_figures(*rows, *cuts, place, result.rest);
  result.rest.kept = waits_between_cuts(*rows, *cuts, source.problem);
  result.source.problem.chunks -= static_cast<std::uint32_t>(cuts->chunks);
  result.source.open = [steps = cut_out(*rows, *cuts)] { return stream(steps); };
  return result;
}

}  // namespace schedcc
