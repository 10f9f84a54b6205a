// If all ends of parts at the same place of a chunk fall on the same byte for every size of a
// chunk, one size that all numbers of parts divide stands for all: with smaller chunks some cells
// are empty, and the others keep their order. Otherwise, for all sizes above some limit, ends have
// the order of their places, and repeat with the least common multiple of the numbers of parts: all
// sizes up to twice that are tried.
//
// A pipeline repeats its body for each slice, with other data. Where a slice waits only for the
// same slice or earlier ones, two slices are ordered as the first ones are, as soon as the
// semaphores' first values are used up. So it is tried with one slice, two and three, and more than
// these values.

#include "program/plan/grid.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace schedcc::program {

namespace {

constexpr std::uint32_t max_sizes = 48, max_multiple = 256;

template <typename F>
void for_each_step(const Plan& plan, F f) {
  for (const PlanGpu& gpu : plan.gpus) {
    for (const PlanThreadblock& block : gpu.blocks) {
      for (const PlanStep& step : block.steps) f(step);
    }
  }
}

/// The division of a range: two of them with the same numbers are alike.
struct Division {
  std::uint32_t size, parts;
  auto operator<=>(const Division&) const = default;
};

/// Do ends of parts that are at the same place of a chunk have the same distance from its begin,
/// for chunks of up to `sizes` units?
bool consistent(const std::set<Division>& divisions, std::uint32_t sizes) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> places;
  for (const auto& [size, parts] : divisions) {
    for (std::uint64_t part = 0; part <= parts; ++part) {
      const std::uint64_t numerator = size * part % parts, whole = size * part / parts;
      const std::uint64_t divisor = std::gcd(numerator, std::uint64_t{parts});
      std::vector<std::uint64_t> ends;
      for (std::uint32_t units = 1; units <= sizes; ++units) {
        ends.push_back(
            part_begin(std::uint64_t{size} * units, static_cast<std::uint32_t>(part), parts) -
            whole * units);
      }
      const auto [known, added] =
          places.try_emplace({numerator / divisor, parts / divisor}, std::move(ends));
      if (!added && known->second != ends) return false;
    }
  }
  return true;
}

/// The slices to try.
std::vector<std::uint32_t> slice_counts(const Plan& plan) {
  std::vector<std::uint32_t> result{1, 2, 3};
  std::uint32_t credits = 0;
  for (const PlanGpu& gpu : plan.gpus) {
    for (const std::uint32_t value : gpu.semaphores) credits = std::max(credits, value);
  }
  if (credits > 0) result.push_back(std::min(credits, std::uint32_t{64}) + 2);
  return result;
}

}  // namespace

std::uint64_t part_begin(std::uint64_t cells, std::uint32_t part, std::uint32_t parts) {
  return part * (cells / parts) + std::min<std::uint64_t>(part, cells % parts);
}

PlanGrids grids(const Plan& plan) {
  PlanGrids result;
  std::set<Division> divisions;
  std::uint64_t multiple = 1;
  std::set<std::uint32_t> units;
  for_each_step(plan, [&](const PlanStep& step) {
    if (step.op == PlanOp::pipeline) units.insert(step.unit);
    if (step.parts == 1 || multiple > max_multiple) return;
    multiple = std::lcm(multiple, std::uint64_t{step.parts});
    for (const auto* ranges : {&step.src, &step.dst}) {
      for (const PlanRange& range : *ranges) divisions.insert({range.size, step.parts});
    }
  });
  if (multiple > max_multiple) {
    result.undecided = fmt::format(
        "operations are shared by numbers of threadblocks with a common multiple above {}",
        max_multiple);
    return result;
  }
  const auto cells = static_cast<std::uint32_t>(multiple);
  const std::uint32_t unit = units.empty() ? 0 : *units.begin();
  for (const std::uint32_t other : units) {
    if (other % unit != 0) {
      result.undecided = "the units of its pipelines are not multiples of one another";
    }
  }
  if (!consistent(divisions, 2 * cells)) {
    const std::uint32_t sizes = 2 * cells + 8;
    if (unit > 0 || sizes > max_sizes) {
      result.undecided = "threadblocks divide ranges of the same chunks differently";
    }
    for (std::uint32_t size = 1; size <= std::min(sizes, max_sizes); ++size) {
      result.grids.push_back({size, size * (unit > 0), unit});
    }
    return result;
  }
  if (unit == 0) {
    result.grids.push_back({cells, 0, 0});
    return result;
  }
  for (const std::uint32_t slices : slice_counts(plan)) {
    result.grids.push_back({cells * slices, cells, unit});
  }
  return result;
}

}  // namespace schedcc::program
