#pragma once

// All that holdings say of the steps of a source, to be compared with what others say.

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/holdings.hpp"
#include "catch.hpp"
#include "schedcc/source.hpp"

namespace agreement {

using namespace schedcc;

using Fault = std::tuple<std::uint64_t, Rank, Rank, Chunk, std::string>;

/// All that a run says of a plan.
struct Said {
  std::vector<std::vector<Fault>> unheld, redundant;  ///< by step
  std::vector<std::tuple<Rank, Chunk, std::uint64_t, std::string>> shortfalls;
  std::vector<Run> may_disagree, right;
  std::vector<bool> whole;  ///< by rank and chunk
  bool complete = false;
  friend bool operator==(const Said&, const Said&) = default;
};

inline std::vector<Fault> faults(const std::vector<Holdings::Fault>& all) {
  std::vector<Fault> result;
  for (const Holdings::Fault& f : all)
    result.emplace_back(f.where.step, f.where.transfer.src, f.where.transfer.dst, f.chunk,
                        f.detail);
  std::ranges::sort(result);
  return result;
}

/// May a chunk arrive more than once at a rank?
inline bool meet(const Step& step) {
  for (const Transfer& a : step.transfers) {
    for (const Transfer& b : step.transfers) {
      if (&a != &b && a.dst == b.dst && a.first < b.first + b.count && b.first < a.first + a.count)
        return true;
    }
  }
  return false;
}

/// What holdings say of a source. `before`: called with each step before they see it.
inline Said run(
    Holdings& holdings, const Source& source,
    const std::function<void(const Step&)>& before = [](const Step&) {}) {
  Said result;
  Holdings::Outcome outcome;
  const auto note = [&] {
    CHECK(outcome.unordered.empty());
    result.unheld.push_back(faults(outcome.unheld));
    result.redundant.push_back(faults(outcome.redundant));
  };
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    before(step);
    holdings.advance(step, meet(step), outcome);
    note();
  }
  holdings.finish(outcome);
  note();
  const Problem& problem = source.problem;
  for (Rank r = 0; r < problem.ranks; ++r) {
    for (Chunk c = 0; c < problem.total_chunks(); ++c) {
      const auto goal = problem.goal(r);
      const bool asked =
          std::ranges::any_of(goal, [&](const Run& run) { return c - run.first < run.count; });
      result.whole.push_back(asked && holdings.right(r, c));
    }
    for (const Run goal : problem.goal(r))
      holdings.each_right(r, goal, [&](Run part) { result.right.push_back(part); });
  }
  result.complete = holdings.all_complete();
  result.may_disagree = holdings.may_disagree();
  holdings.shortfalls(9, [&](const Holdings::Shortfall& s) {
    result.shortfalls.emplace_back(s.rank, s.chunk, s.chunks, s.detail);
  });
  return result;
}

}  // namespace agreement
