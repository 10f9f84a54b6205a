// Which algorithms do the stages of levels(X, Y).

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/composition/levels.hpp"
#include "core/join.hpp"

namespace schedcc::two_levels {

using enum Collective;

namespace {

/// X for a collective, reversed if it is for the reverse of it; none if it is for neither. An
/// allgather's schedule is one of a barrier.
std::optional<Algorithm> as_part(const Algorithm& x, Collective collective) {
  if (x.serves(collective)) return x;
  if (collective == barrier && x.serves(allgather)) return as_collective(x, barrier);
  const std::optional<Collective> other = reversed(collective);
  if (other && x.serves(*other)) return reverse(x);
  return std::nullopt;
}

constexpr std::optional<Collective> nothing;

constexpr std::array<Collective, 11> wholes{
    allreduce, reduce_scatter, allgather, broadcast, Collective::reduce, alltoall, scatter,
    gather,    scan,           exscan,    barrier};

constexpr std::array<LevelPhases, 20> all_phases{
    {{allreduce, reduce_scatter, allgather, false},
     {allreduce, Collective::reduce, broadcast, true},
     {broadcast, scatter, allgather, false},
     {broadcast, nothing, broadcast, true},
     {Collective::reduce, reduce_scatter, gather, false},
     {Collective::reduce, Collective::reduce, nothing, true},
     {allgather, nothing, allgather, false},
     {allgather, gather, broadcast, true},
     {reduce_scatter, reduce_scatter, nothing, false},
     {reduce_scatter, Collective::reduce, scatter, true},
     {alltoall, alltoall, nothing, false},
     {alltoall, gather, scatter, true},
     {scatter, scatter, nothing, false},
     {scatter, nothing, scatter, true},
     {gather, nothing, gather, false},
     {gather, gather, nothing, true},
     {scan, nothing, scan, true},
     {exscan, nothing, scan, true},
     {barrier, nothing, barrier, false},
     {barrier, gather, broadcast, true}}};

/// By X, if it can do its parts.
std::optional<LevelAlgorithms> by_one(const LevelPhases& phases, const WithinNodes& x,
                                      const Algorithm& y) {
  if (!x.whole) return std::nullopt;
  LevelAlgorithms algorithms{phases, {}, as_part(y, phases.between()), {}};
  if (!algorithms.between) return std::nullopt;
  if (phases.before && !(algorithms.before = as_part(*x.whole, *phases.before)))
    return std::nullopt;
  if (phases.after && !(algorithms.after = as_part(*x.whole, *phases.after))) return std::nullopt;
  return algorithms;
}

/// By two algorithms, if the first can do the part before Y, and the second that after it.
std::optional<LevelAlgorithms> by_two(const LevelPhases& phases, const WithinNodes& x,
                                      const Algorithm& y) {
  if (!x.before || !x.after || !phases.before || !phases.after ||
      !x.before->serves(*phases.before) || !x.after->serves(*phases.after))
    return std::nullopt;
  LevelAlgorithms algorithms{phases, x.before, as_part(y, phases.between()), x.after};
  return algorithms.between ? std::optional(algorithms) : std::nullopt;
}

/// The two parts of a sequence X for the collective, "(X then Y) as C".
WithinNodes parts_of_sequence(const Algorithm& x, Collective whole) {
  const AlgorithmEntry& entry = AlgorithmEntry::of(x);
  if (!entry.sequence || !x.serves(whole)) return {};
  Request request;
  request.problem.collective = whole;
  request.problem.ranks = 2;
  const std::vector<AlgorithmPart> parts = entry.parts(request);
  if (parts.size() == 1) return parts_of_sequence(parts[0].algorithm, whole);
  return {{}, parts[0].algorithm, parts[1].algorithm};
}

/// The same for phases of the collective that are those of the sequence.
std::optional<LevelAlgorithms> by_sequence(const LevelPhases& phases, const WithinNodes& x,
                                           const Algorithm& y) {
  return x.whole ? by_two(phases, parts_of_sequence(*x.whole, phases.whole), y) : std::nullopt;
}

}  // namespace

std::span<const Collective> level_collectives() { return wholes; }

std::optional<LevelAlgorithms> algorithms_for(Collective whole, const WithinNodes& x,
                                              const Algorithm& y, bool leaders) {
  for (const auto& make : {by_sequence, by_two, by_one}) {
    for (const LevelPhases& phases : all_phases) {
      if (phases.whole != whole || (leaders && !phases.leaders)) continue;
      if (auto algorithms = make(phases, x, y)) return algorithms;
    }
  }
  return std::nullopt;
}

std::string wanted_within(const Algorithm& y, bool leaders) {
  std::string result;
  for (const Collective whole : wholes) {
    if (!y.serves(LevelPhases{whole, {}, {}, false}.between())) continue;
    std::vector<std::string> ways;
    for (const LevelPhases& phases : all_phases) {
      if (phases.whole != whole || (leaders && !phases.leaders)) continue;
      std::string way = fmt::format("for {}", info(phases.before.value_or(*phases.after)).name);
      if (phases.before && phases.after && phases.before != phases.after)
        way += fmt::format(" and {}", info(*phases.after).name);
      if (std::ranges::find(ways, way) == ways.end()) ways.push_back(std::move(way));
    }
    if (!ways.empty())
      result += fmt::format("{}for {} X is {}", result.empty() ? "" : "; ", info(whole).name,
                            join(ways, ", or "));
  }
  return result.empty() ? "levels make no collective that the second is for" : result;
}

}  // namespace schedcc::two_levels

namespace schedcc {

namespace {

using two_levels::LevelPhases;

/// Have these phases, by leaders, the same parts within nodes as others that are without?
bool ambiguous(const LevelPhases& phases) {
  return phases.leaders &&
         std::ranges::any_of(two_levels::all_phases, [&](const LevelPhases& other) {
           return !other.leaders && other.whole == phases.whole &&
                  (other.before ? other.before : other.after) ==
                      (phases.before ? phases.before : phases.after) &&
                  (other.before && other.after) == (phases.before && phases.after);
         });
}

}  // namespace

std::vector<LevelDecomposition> level_decompositions(const Problem& whole, std::uint64_t ranks) {
  using namespace two_levels;
  Request request;
  request.problem = whole;
  request.problem.chunks = whole.ranks;
  const Algorithm any = *algorithms().front();  // the problems do not depend on it
  std::vector<LevelDecomposition> result;
  for (const LevelPhases& phases : all_phases) {
    if (phases.whole != whole.collective) continue;
    LevelAlgorithms algorithms{phases, {}, any, {}};
    if (phases.before) algorithms.before = any;
    if (phases.after) algorithms.after = any;
    const std::vector<Stage> stages = all_stages(request, {.ranks = ranks}, algorithms);
    LevelDecomposition decomposition{
        {}, phases.leaders, ambiguous(phases), {stages.size(), phases.own_node_apart()}};
    for (const Stage& stage : stages) {
      const Group& group = stage.front();
      if (!group.helper) decomposition.parts.push_back({group.part.request.problem, group.within});
    }
    result.push_back(std::move(decomposition));
  }
  return result;
}

}  // namespace schedcc
