// The starts and goals of a problem are those of the simulator's table of collectives, for standard
// and custom collectives and by every query.

#include <random>

#include "analysis/problem_contributions.hpp"
#include "catch.hpp"
#include "customs.hpp"
#include "model/starts.hpp"
#include "simulator/collectives.hpp"

using namespace schedcc;

namespace {

/// Every standard collective over few ranks, with every root, and custom ones.
std::vector<Problem> problems() {
  std::vector<Problem> result;
  std::mt19937 dice(7);
  for (Rank P = 1; P <= 6; ++P) {
    for (const CollectiveInfo& c : collectives()) {
      for (Rank root = 0; root < (c.rooted ? P : 1); ++root) {
        for (const std::uint32_t K : {1U, 2U, 5U}) {
          if (c.collective != Collective::custom)
            result.push_back({c.collective, P, root, K, false, {}});
        }
      }
    }
    for (unsigned i = 0; i < 20; ++i) result.push_back(customs::random(P, 1 + i % 7, dice));
  }
  for (const Problem& problem : customs::kinds(4)) result.push_back(problem);
  return result;
}

/// The chunks of ascending runs with gaps between them.
std::vector<Chunk> listed(const Runs& runs) {
  std::vector<Chunk> result;
  for (const Run run : runs) {
    CHECK(run.count > 0);
    if (!result.empty()) CHECK(run.first > result.back() + 1);
    for (std::uint32_t i = 0; i < run.count; ++i) result.push_back(run.first + i);
  }
  return result;
}

/// All queries of the runs, which contain the chunks for which `has` is true.
template <typename Has>
void check_runs(const Runs& runs, std::uint64_t chunks, const Has& has) {
  std::vector<Chunk> right;
  for (Chunk c = 0; c < chunks; ++c) {
    CHECK(runs.chunks_before(c) == right.size());
    CHECK(runs.contains(c) == has(c));
    if (has(c)) right.push_back(c);
  }
  CHECK(listed(runs) == right);
  CHECK(runs.chunks() == right.size());
  CHECK(runs.empty() == right.empty());
}

template <typename Has>
std::vector<Rank> ranks_that(Rank ranks, const Has& has) {
  std::vector<Rank> result;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (has(rank)) result.push_back(rank);
  }
  return result;
}

std::vector<Rank> listed(const Intervals& intervals) {
  std::vector<Rank> result;
  for (const auto& [first, last] : intervals) {
    if (!result.empty()) CHECK(first > result.back() + 1);
    for (Rank rank = first; rank <= last; ++rank) result.push_back(rank);
  }
  return result;
}

}  // namespace

TEST_CASE("a problem's starts and goals are those of its collective", "[model]") {
  for (const Problem& p : problems()) {
    INFO(describe(p));
    const std::uint64_t chunks = p.total_chunks();
    std::uint64_t largest = 0;
    std::vector<Rank> starters, targets;
    p.for_each_start([&](Rank rank, const Runs& runs) {
      starters.push_back(rank);
      CHECK(listed(runs) == listed(p.start(rank)));
    });
    p.for_each_goal([&](Rank rank, const Runs& runs) {
      targets.push_back(rank);
      CHECK(listed(runs) == listed(p.goal(rank)));
    });
    CHECK(starters == ranks_that(p.ranks, [&](Rank rank) { return !p.start(rank).empty(); }));
    CHECK(targets == ranks_that(p.ranks, [&](Rank rank) { return !p.goal(rank).empty(); }));
    for (Rank rank = 0; rank < p.ranks; ++rank) {
      check_runs(p.start(rank), chunks, [&](Chunk c) { return naive::starts(p, rank, c); });
      check_runs(p.goal(rank), chunks, [&](Chunk c) { return naive::wanted(p, rank, c); });
      for (Chunk c = 0; c < chunks; ++c) {
        CHECK(p.starts_with(rank, c) == naive::starts(p, rank, c));
        CHECK(p.ends_with(rank, c) == naive::wanted(p, rank, c));
      }
      largest = std::max(largest, p.goal(rank).chunks());
    }
    CHECK(p.largest_goal() == largest);
    CHECK((p.start(p.ranks).empty() && p.goal(p.ranks).empty()));
  }
}

TEST_CASE("the contributors of a problem are those of its collective", "[model]") {
  for (const Problem& p : problems()) {
    INFO(describe(p));
    Contributions contributions;
    ProblemContributions ends(p, contributions);
    for (Chunk c = 0; c < p.total_chunks(); ++c) {
      CHECK(p.reduced(c) == naive::is_reduction(p, c));
      CHECK(listed(p.holders(c)) ==
            ranks_that(p.ranks, [&](Rank rank) { return naive::starts(p, rank, c); }));
      for (Rank rank = 0; rank < p.ranks; ++rank) {
        const bool starts = naive::starts(p, rank, c), reduced = naive::is_reduction(p, c);
        CHECK(ends.start(rank, c) == (!starts   ? Contributions::empty
                                      : reduced ? contributions.only(rank)
                                                : Contributions::value));
        if (!naive::wanted(p, rank, c)) continue;
        const naive::Value value = naive::goal(p, rank, c);
        const std::vector<Rank> right(value.begin(), value.end());
        if (reduced) CHECK(listed(p.contributors(c, rank)) == right);
        const auto id = ends.goal(rank, c);
        CHECK((id == Contributions::value) == !reduced);
        if (reduced)
          CHECK(listed(contributions.sets().intervals(contributions.ranks(id))) == right);
      }
    }
  }
}

TEST_CASE("starts are the same chunk by chunk and run by run", "[model]") {
  for (const Problem& p : problems()) {
    INFO(describe(p));
    const Starts starts(p);
    const std::uint64_t chunks = p.total_chunks();
    for (Rank rank = 0; rank < p.ranks; ++rank) {
      for (Chunk c = 0; c < chunks; ++c) {
        const bool has = naive::starts(p, rank, c), reduced = naive::is_reduction(p, c);
        CHECK(starts.has(rank, c) == has);
        CHECK(starts.has_value(rank, c) == (has && !reduced));
        const std::uint64_t until = std::min(starts.same_until(rank, c), chunks);
        std::uint64_t in = 0, all_reduced = 0;
        for (Chunk d = c; d < chunks; ++d) {
          in += naive::starts(p, rank, d);
          all_reduced += naive::is_reduction(p, d);
          CHECK(starts.in(rank, {c, d - c + 1}) == in);
          CHECK(p.reduced(Run{c, d - c + 1}) == (all_reduced == d - c + 1));
          if (d >= until) continue;
          CHECK(starts.has(rank, d) == has);
          CHECK(starts.has_value(rank, d) == (has && !reduced));
        }
        CHECK(until > c);
      }
    }
  }
}
