// Which algorithms do the stages of levels(X, Y).

#include <array>

#include "algorithm/composition/composition.hpp"
#include "algorithm/composition/levels.hpp"

namespace schedcc::two_levels {

using enum Collective;

namespace {

/// X for a collective, reversed if it is for the reverse of it; none if it is for neither.
std::optional<Algorithm> as_part(const Algorithm& x, Collective collective) {
  if (x.serves(collective)) return x;
  const std::optional<Collective> other = reversed(collective);
  if (other && x.serves(*other)) return reverse(x);
  return std::nullopt;
}

constexpr std::optional<Collective> nothing;

constexpr std::array<LevelPhases, 11> all_phases{
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
     {alltoall, alltoall, nothing, false}}};

/// By X, if it can do its parts.
std::optional<LevelAlgorithms> simple_algorithms(const LevelPhases& phases, const Algorithm& x,
                                                 const Algorithm& y) {
  LevelAlgorithms algorithms{phases, {}, as_part(y, phases.whole), {}};
  if (!algorithms.between) return std::nullopt;
  if (phases.before && !(algorithms.before = as_part(x, *phases.before))) return std::nullopt;
  if (phases.after && !(algorithms.after = as_part(x, *phases.after))) return std::nullopt;
  return algorithms;
}

/// By a sequence X that is `whole` itself, if its parts are those of a way.
std::optional<LevelAlgorithms> sequence_algorithms(const LevelPhases& phases, const Algorithm& x,
                                                   const Algorithm& y) {
  const AlgorithmEntry& entry = AlgorithmEntry::of(x);
  if (!entry.sequence || !x.serves(phases.whole)) return std::nullopt;
  Request request;
  request.problem.collective = phases.whole;
  request.problem.ranks = 2;
  const std::vector<AlgorithmPart> parts = entry.parts(request);
  if (parts.size() == 1)  // "(X then Y) as C"
    return sequence_algorithms(phases, parts[0].algorithm, y);
  if (parts.size() != 2 || parts[0].request.problem.collective != phases.before ||
      parts[1].request.problem.collective != phases.after)
    return std::nullopt;
  LevelAlgorithms algorithms{phases, parts[0].algorithm, as_part(y, phases.whole),
                             parts[1].algorithm};
  return algorithms.between ? std::optional(algorithms) : std::nullopt;
}

}  // namespace

std::optional<LevelAlgorithms> algorithms_for(Collective whole, const Algorithm& x,
                                              const Algorithm& y) {
  for (const auto& make : {sequence_algorithms, simple_algorithms}) {
    for (const LevelPhases& phases : all_phases) {
      if (phases.whole != whole) continue;
      if (auto algorithms = make(phases, x, y)) return algorithms;
    }
  }
  return std::nullopt;
}

}  // namespace schedcc::two_levels

namespace schedcc {

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
    LevelDecomposition& decomposition = result.emplace_back();
    decomposition.leaders = phases.leaders;
    for (const Stage& stage : all_stages(request, {.ranks = ranks}, algorithms)) {
      decomposition.parts.push_back(
          {stage.front().part.request.problem, stage.front().mapping.rank_stride == 1});
    }
  }
  return result;
}

}  // namespace schedcc
