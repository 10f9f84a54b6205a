// The chunks that ranks must send and receive in a custom collective: counted by segments, compared
// with counting chunk by chunk.

#include <algorithm>
#include <vector>

#include "analysis/bounds.hpp"
#include "analysis/demand.hpp"
#include "catch.hpp"
#include "model/runs.hpp"
#include "random_numbers.hpp"

using namespace schedcc;

namespace {

constexpr Rank P = 5;
constexpr Chunk chunks = 12;

/// A custom problem as a table: who starts with a chunk, who wants it, and what is reduced.
struct Table {
  bool starts[P][chunks] = {}, wants[P][chunks] = {}, reduced[chunks] = {};
};

Table some_table(random_numbers::Random& random) {
  const auto below = [&](std::uint64_t n) { return random.below(n); };
  Table table;
  const std::uint64_t often = 1 + below(4);
  for (Chunk c = 0; c < chunks; ++c) {
    if (c > 0 && below(2) == 0) {  // like the chunk before it
      for (Rank r = 0; r < P; ++r) {
        table.starts[r][c] = table.starts[r][c - 1];
        table.wants[r][c] = table.wants[r][c - 1];
      }
      table.reduced[c] = table.reduced[c - 1];
      continue;
    }
    table.reduced[c] = below(2) == 0;
    for (Rank r = 0; r < P; ++r) {
      table.starts[r][c] = below(4) < often;
      table.wants[r][c] = below(4) < often;
    }
  }
  return table;
}

Problem problem(const Table& table) {
  std::vector<Holding> pre, post;
  for (Rank r = 0; r < P; ++r) {
    Holding start{r, {}, false}, copies{r, {}, false}, sums{r, {}, true};
    for (Chunk c = 0; c < chunks; ++c) {
      if (table.starts[r][c]) start.runs.push_back({c, 1});
      if (table.wants[r][c]) (table.reduced[c] ? sums : copies).runs.push_back({c, 1});
    }
    if (!start.runs.empty()) pre.push_back(start);
    for (const Holding& goal : {copies, sums}) {
      if (!goal.runs.empty()) post.push_back(goal);
    }
  }
  Problem result;
  result.collective = Collective::custom;
  result.ranks = P;
  result.chunks = chunks;
  result.custom = std::make_shared<const Custom>(pre, post);
  return result;
}

/// The definition: what must be received, sent and reached, chunk by chunk.
Demand naive(const Table& t) {
  Demand demand{0, 0, 1};
  std::uint64_t sent[P] = {}, received[P] = {}, all_sent = 0, all_received = 0;
  for (Chunk c = 0; c < chunks; ++c) {
    std::vector<Rank> holders, targets, owners;
    for (Rank r = 0; r < P; ++r) {
      if (t.starts[r][c]) holders.push_back(r);
      if (t.wants[r][c]) targets.push_back(r);
      if (t.starts[r][c] || t.wants[r][c]) owners.push_back(r);
    }
    if (targets.empty()) continue;
    // A chunk is a reduction chunk because it is reduced in the goal of a rank.
    const bool reduced = t.reduced[c];
    for (const Rank r : targets) {
      const bool enough = t.starts[r][c] && (!reduced || holders.size() == 1);
      received[r] += !enough;
      all_received += !enough;
    }
    for (const Rank r : holders) {
      const bool others_want = std::ranges::any_of(targets, [&](Rank w) { return w != r; });
      const bool must = others_want && (reduced || holders.size() == 1);
      sent[r] += must;
      all_sent += must;
    }
    if (holders.empty()) continue;
    const std::uint64_t reach =
        reduced ? holders.size() : (owners.size() + holders.size() - 1) / holders.size();
    demand.reach = std::max(demand.reach, reach);
  }
  for (Rank r = 0; r < P; ++r) demand.busiest = std::max({demand.busiest, sent[r], received[r]});
  demand.all = std::max(all_sent, all_received);
  return demand;
}

}  // namespace

TEST_CASE("the demand of a custom collective is what counting says") {
  random_numbers::Random random(11);
  for (int i = 0; i < 3000; ++i) {
    const Table table = some_table(random);
    const Demand ours = custom_demand(problem(table)), theirs = naive(table);
    CHECK(ours.busiest == theirs.busiest);
    CHECK(ours.all == theirs.all);
    CHECK(ours.reach == theirs.reach);
  }
}

TEST_CASE("a custom collective that asks for nothing has the bound 0") {
  Problem nothing;
  nothing.collective = Collective::custom;
  nothing.ranks = 3;
  nothing.chunks = 1;
  nothing.custom = std::make_shared<const Custom>(std::vector<Holding>{}, std::vector<Holding>{});
  const LowerBound bound = lower_bound(nothing, make_machine("duplex", 3), 1);
  CHECK(*bound.steps == 0);
  CHECK(*bound.volume == 0);
  CHECK(!lower_bound(nothing, make_machine("logp", 3), 1).steps);
}
