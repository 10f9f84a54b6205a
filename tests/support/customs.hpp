#pragma once

// Small custom collectives, with properties that no standard collective has.

#include <random>
#include <utility>
#include <vector>

#include "schedcc/problem.hpp"

namespace customs {

using namespace schedcc;

/// One of each kind, for two ranks or more.
inline std::vector<Problem> kinds(Rank ranks) {
  const Rank last = ranks - 1;
  std::vector<Holding> all, but_last, all_sums;
  for (Rank r = 0; r < ranks; ++r) all.push_back({r, {{0, 1}}});
  for (Rank r = 0; r < last; ++r) but_last.push_back({r, {{0, 1}}});
  for (Rank r = 0; r < ranks; ++r) all_sums.push_back({r, {{0, 1}}, true});
  return {
      custom_problem(ranks, 1, {{0, {{0, 1}}}, {last, {{0, 1}}}}, all, "two have it, all want it"),
      custom_problem(ranks, 2, {{0, {{0, 2}}}}, {{last, {{1, 1}}}}, "nobody wants chunk 0"),
      custom_problem(ranks, 1, {}, {{last, {{0, 1}}}}, "nobody has it"),
      custom_problem(ranks, 1, but_last, {{last, {{0, 1}}, true}}, "to one who has none"),
      custom_problem(ranks, 1, but_last, {{0, {{0, 1}}, true}}, "one without any may help"),
      custom_problem(ranks, 1, but_last, all_sums, "all want what one has no part in"),
      custom_problem(ranks, 1, {{0, {{0, 1}}}, {last, {{0, 1}}}}, {{0, {{0, 1}}, true}},
                     "of two, to one"),
      custom_problem(ranks, 2, {{0, {{0, 2}}}, {last, {{1, 1}}}},
                     {{last, {{0, 1}}}, {0, {{1, 1}}, true}}, "a chunk there, a sum back"),
      custom_problem(ranks, 2, {{0, {{0, 2}}}, {last, {{0, 2}}}},
                     {{1, {{0, 1}}}, {0, {{1, 1}}, true}, {last, {{1, 1}}, true}},
                     "a copy and a sum"),
  };
}

/// Whatever comes.
inline Problem random(Rank ranks, std::uint32_t chunks, std::mt19937& dice) {
  const auto one_in = [&](unsigned n) { return dice() % n == 0; };
  std::vector<Holding> pre, post;
  for (Chunk c = 0; c < chunks; ++c) {
    const bool reduced = one_in(2);
    for (Rank r = 0; r < ranks; ++r) {
      if (!one_in(3)) pre.push_back({r, {{c, 1}}});
      if (one_in(2)) post.push_back({r, {{c, 1}}, reduced});
    }
  }
  return custom_problem(ranks, chunks, std::move(pre), std::move(post));
}

/// A standard collective, but for the scans, as a custom one.
inline Problem restated(const Problem& standard) {
  std::vector<Holding> pre, post;
  for (Rank r = 0; r < standard.ranks; ++r) {
    for (Chunk c = 0; c < standard.total_chunks(); ++c) {
      if (standard.starts_with(r, c)) pre.push_back({r, {{c, 1}}});
    }
    for (const Run run : standard.goal(r)) post.push_back({r, {run}, standard.reduction()});
  }
  Problem result =
      custom_problem(standard.ranks, static_cast<std::uint32_t>(standard.total_chunks()),
                     std::move(pre), std::move(post));
  result.ordered = standard.ordered;
  return result;
}

}  // namespace customs
