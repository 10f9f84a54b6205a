// What compositions ask of their parts without exact times: the number of chunks of the best
// choice, and whether the parts together are too slow.
//
// Where the number of chunks does not divide the size, chunks have two sizes, of b and b + 1 bytes,
// and to know the time of a schedule exactly is to read it again. But it lies between those with
// chunks of b and of b + 1 bytes, which are known for all sizes. Often those settings that may be
// the fastest, as far as these bounds tell, all have the same number of chunks, as chains do that
// are found under several names; only if they do not, exact times have to decide. And where the
// lower bounds of the parts add up to more than the best time, no sum of exact times is below it.

#include <algorithm>
#include <cmath>

#include "cost/tuner.hpp"

namespace schedcc {

namespace {

/// More than the relative errors of sums.
constexpr double rounding = 1e-9;

}  // namespace

std::optional<PacketRange> Tuner::Impl::range_of_best(std::uint64_t bytes, double limit) {
  std::vector<PacketRange> ranges;
  double most = limit;  // the time of the best one is not above this
  const auto add = [&](AlgorithmSettings& candidate, std::size_t setting,
                       std::uint64_t& evaluated) {
    const auto range = candidate.settings[setting].range_of_best(bytes, most * (1 + rounding),
                                                                 candidate.near, evaluated);
    if (!range) return;
    ranges.push_back(*range);
    if (range->most >= most) return;
    most = range->most;
    candidate.last_best = setting;
    candidate.near = range->packets;
    last_best_ = static_cast<std::size_t>(&candidate - candidates_.data());
  };
  const auto add_all = [&](AlgorithmSettings& candidate) {
    std::uint64_t evaluated = 0;
    if (!candidate.settings.empty()) add(candidate, candidate.last_best, evaluated);
    for (std::size_t i = 0; i < candidate.settings.size(); ++i) add(candidate, i, evaluated);
  };
  if (!candidates_.empty()) add_all(candidates_[last_best_]);
  for (AlgorithmSettings& candidate : candidates_) add_all(candidate);
  std::erase_if(ranges,
                [&](const PacketRange& range) { return range.least * (1 - rounding) > most; });
  if (ranges.empty()) return std::nullopt;
  const bool same = std::ranges::all_of(
      ranges, [&](const PacketRange& range) { return range.packets == ranges.front().packets; });
  const double least = std::ranges::min(ranges, {}, &PacketRange::least).least;
  if (same) return PacketRange{ranges.front().packets, least, most};
  const auto choice = best(bytes);
  return choice ? std::optional(PacketRange{choice->chunks, choice->seconds, choice->seconds})
                : std::nullopt;
}

double Tuner::Impl::least_with(std::uint64_t K, std::uint64_t bytes, double limit) {
  double least = HUGE_VAL;
  const auto add = [&](Packets& packets) {
    const auto range = packets.range_with(K, bytes, std::min(limit, least));
    if (range) least = std::min(least, range->least);
  };
  if (last_with_ != nullptr) add(*last_with_);
  for (AlgorithmSettings& candidate : candidates_) {
    for (Packets& packets : candidate.settings) add(packets);
  }
  return least;
}

bool Tuner::Impl::too_slow(Combination& combination, std::uint64_t K, std::uint64_t bytes,
                           double limit) {
  if (!combination.exact || std::isinf(limit)) return false;
  double seconds = 0;
  for (const Part& part : combination.parts) {
    seconds += part.tuner->least_with(part.scaled(K), part.scaled(bytes), limit - seconds);
    if (seconds * (1 - rounding) >= limit) return true;
  }
  return false;
}

}  // namespace schedcc
