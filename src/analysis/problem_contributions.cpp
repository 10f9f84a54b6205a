#include "analysis/problem_contributions.hpp"

namespace schedcc {

ProblemContributions::Id ProblemContributions::goal(Rank rank, Chunk chunk) {
  if (!starts_.by_formula()) return segment_of(chunk)->id;
  if (!problem_.reduction()) return Contributions::value;
  const Rank end = problem_.contributors_end(rank);
  return end == 0 ? Contributions::empty : contributions_.of({{0, end - 1}});
}

ProblemContributions::Id ProblemContributions::whole(Chunk chunk) {
  if (!starts_.by_formula()) return segment_of(chunk)->id;
  if (whole_ == Contributions::empty) whole_ = goal(0, chunk);
  return whole_;
}

bool ProblemContributions::in_order(Id id, Chunk chunk) {
  if (starts_.by_formula() || id == Contributions::value) return contributions_.is_interval(id);
  const RankSets::Id all = contributions_.ranks(goal(0, chunk));
  RankSets& sets = contributions_.sets();
  const RankSets::Id ranks = contributions_.ranks(id);
  const RankInterval hull = sets.hull(ranks);
  return sets.intersect(all, sets.of({&hull, 1})) == ranks;
}

ProblemContributions::Segments::const_iterator ProblemContributions::segment_of(Chunk chunk) {
  if (segments_.empty()) make_segments();
  return std::ranges::upper_bound(segments_, chunk, {}, &Segment::from) - 1;
}

/// Iterates over the chunks, from each boundary of the ranks' starts to the next.
void ProblemContributions::make_segments() {
  struct Boundary {
    std::uint64_t chunk;
    Rank rank;
    bool begins;
  };
  std::vector<Boundary> boundaries;
  problem_.for_each_start([&](Rank rank, const Runs& runs) {  // ascending
    for (const Run run : runs) {
      boundaries.push_back({run.first, rank, true});
      boundaries.push_back({end(run), rank, false});
    }
  });
  std::ranges::stable_sort(boundaries, {}, &Boundary::chunk);
  RankSets& sets = contributions_.sets();
  RankSets::Id holders = RankSets::empty;
  auto next = boundaries.begin();
  const std::uint64_t chunks = problem_.total_chunks();
  for (std::uint64_t chunk = 0; chunk < chunks;) {
    Intervals begin, end;
    for (; next != boundaries.end() && next->chunk == chunk; ++next)
      append(next->begins ? begin : end, {next->rank, next->rank});
    holders = sets.unite(sets.subtract(holders, sets.of(end)), sets.of(begin));
    const auto first = static_cast<Chunk>(chunk);
    const bool reduced = problem_.reduced(first);
    const Id id = reduced ? contributions_.of(holders) : Contributions::value;
    if (segments_.empty() || segments_.back().id != id) segments_.push_back({chunk, id});
    chunk = problem_.same_until(first);
  }
  segments_.push_back({std::uint64_t{1} << 32, Contributions::empty});
}

}  // namespace schedcc
