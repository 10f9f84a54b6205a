#include "check/period/period.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/digest.hpp"
#include "check/period/cuts.hpp"
#include "check/period/generations.hpp"
#include "check/period/repetition.hpp"
#include "check/period/sender_order.hpp"
#include "check/period/timed_packets.hpp"
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
/// out, unless any are enough: what is left would take too long to be checked in vain.
std::optional<Cuts> cuts_of(const Repetition& repetition, std::uint64_t chunks, bool any_enough) {
  const std::uint64_t rows = repetition.ranges().size();
  std::vector<Region> regions = repetition.regions(std::max<std::uint64_t>(rows / 16, 1));
  const auto enough = [&](const std::optional<Cuts>& cuts) {
    return cuts && (any_enough || 2 * cuts->rows() >= rows);
  };
  auto cuts = find_cuts(regions, repetition.ranges(), chunks);
  if (!enough(cuts) && regions.size() > 1) {
    const auto size = [](const Region& region) { return region.end - region.begin; };
    regions = {*std::ranges::max_element(regions, {}, size)};
    cuts = find_cuts(regions, repetition.ranges(), chunks);
  }
  return enough(cuts) ? cuts : std::nullopt;
}

/// Is what a rank does in a step, whatever others do, all that checks see of it?
bool by_ranks(const Machine& machine, const CheckOptions& options) {
  return machine.channels() == nullptr && options.blocking == Blocking::sendrecv;
}

/// May the transfers of a step be in any order?
bool in_any_order(const Problem& problem, const CheckOptions& options) {
  return !problem.reduction() && options.blocking == Blocking::sendrecv;
}

/// Fewer packets of the source, whose rows these are, and what is missing.
struct FewerPackets {
  Steps rows;
  std::uint64_t chunks;  ///< that are left out
  CutOut rest;
};

/// Has each message of the row in the middle, with all packets that are under way at a time, one
/// chunk? Not where two trees share an edge.
bool has_single_chunks(const Steps& rows) {
  Digest digest;
  Transfers buffer;
  digest.read(rows.read(rows.size() / 2, {}, buffer));
  return digest.largest() == 1;
}

/// Of generations of packets that are all alike.
std::optional<FewerPackets> part_by_generations(const Steps& rows, const Repetition& repetition,
                                                const Problem& problem) {
  const auto spare = spare_generations(rows, repetition, problem);
  if (!spare || !has_single_chunks(rows)) return std::nullopt;
  const Period& period = repetition.period();
  const std::uint64_t left_out = spare->number * period.rows;
  if (2 * left_out < rows.size()) return std::nullopt;
  const std::uint64_t transfers = spare->number * spare->transfers;
  return FewerPackets{without_generations(rows, repetition, spare->number, problem.chunks),
                      spare->number * period.size(),
                      // No row is idle, and its messages have one chunk.
                      {.steps = spare->number * period.steps,
                       .transfers = transfers,
                       .messages = transfers,
                       .volume = left_out,
                       .single_chunks = true}};
}

/// Of rows.
std::optional<FewerPackets> part_by_cuts(const Steps& rows, const Repetition& repetition,
                                         const Problem& problem, bool any_enough) {
  const auto cuts = cuts_of(repetition, problem.chunks, any_enough);
  if (!cuts) return std::nullopt;
  FewerPackets result{cut_out(rows, *cuts), cuts->chunks, {}};
  for (const Cuts::Place& place : cuts->places) add_figures(rows, *cuts, place, result.rest);
  result.rest.kept = waits_between_cuts(rows, *cuts, problem);
  return result;
}

}  // namespace

bool may_have_excerpt(const Source& source, const Machine& machine, const CheckOptions& options) {
  return alike(source.problem) && !machine.routed() && !source.hop_level() &&
         options.same_as == nullptr;
}

std::optional<Excerpt> excerpt(const Source& source, const Machine& machine,
                               const CheckOptions& options, const Crew& crew,
                               const std::function<void(std::uint64_t)>& progress, bool again) {
  // Where channels are counted, the checks of a step take much longer than to compare it.
  const bool any_enough = again && machine.channels() != nullptr;
  const std::uint64_t few_rows = any_enough ? 8 : 256;
  constexpr std::uint64_t most_rows = 1 << 26;
  if (!may_have_excerpt(source, machine, options)) return std::nullopt;
  if (machine.timing() != nullptr) return two_packets(source, *machine.timing(), progress);
  if (machine.ports() == nullptr) return std::nullopt;
  const auto rows = source.open()->rows();
  if (!rows || rows->size() < few_rows || rows->size() > most_rows) return std::nullopt;
  const std::uint64_t longest_period =
      std::min(std::max<std::uint64_t>(64, rows->size() / 64), rows->size() / 4);
  std::vector<Region> stretches = likely_regions(*rows, longest_period);
  if (stretches.empty()) return std::nullopt;
  Repetition repetition(*rows, std::move(stretches), source.problem);
  repetition.run(crew, progress);
  std::optional<FewerPackets> part;
  if (by_ranks(machine, options)) part = part_by_generations(*rows, repetition, source.problem);
  if (!part) part = part_by_cuts(*rows, repetition, source.problem, any_enough);
  if (!part) return std::nullopt;
  Excerpt result{source, std::move(part->rest)};
  result.source.problem.chunks -= static_cast<std::uint32_t>(part->chunks);
  result.source.open = [rows = part->rows, any = in_any_order(source.problem, options)] {
    return any ? by_senders(stream(rows)) : stream(rows);
  };
  return result;
}

}  // namespace schedcc
