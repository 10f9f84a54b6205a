// Reductions along trees, and what is nearly that: the states of ranks in trees have the outcome of
// sets of contributions, and need no sets where a schedule is right.

#include <algorithm>
#include <utility>

#include "analysis/holdings.hpp"
#include "catch.hpp"
#include "holdings_said.hpp"
#include "model/runs.hpp"
#include "random_plans.hpp"

using namespace agreement;

namespace {

/// The parent of each rank in a random tree, and the step in which it sends its sum there: later
/// than those below it.
struct Tree {
  Rank root = 0;
  std::vector<Rank> parent;
  std::vector<std::uint64_t> step;
  std::uint64_t end = 0;  ///< the step after the last one
};

Tree some_tree(Rank ranks, Rank root, Random& random) {
  std::vector<Rank> order{root};  // each rank is below one of those before it
  for (Rank r = 0; r < ranks; ++r) {
    if (r != root) order.push_back(r);
  }
  for (Rank i = 2; i < ranks; ++i) std::swap(order[i], order[1 + random.below(i)]);
  Tree tree{root, std::vector<Rank>(ranks), std::vector<std::uint64_t>(ranks)};
  for (Rank i = ranks; i-- > 1;) {
    const Rank rank = order[i], parent = order[random.below(i)];
    tree.step[rank] += random.below(2);
    tree.parent[rank] = parent;
    tree.step[parent] = std::max(tree.step[parent], tree.step[rank] + 1);
  }
  tree.end = tree.step[root];
  return tree;
}

/// Each chunk is reduced along a tree of its own, and then copied to ranks that need it, or more.
naive::Plan some_reduction(Collective collective, Rank ranks, Random& random) {
  naive::Plan plan;
  plan.problem.collective = collective;
  plan.problem.ranks = ranks;
  plan.problem.chunks = 1 + random.below(3);
  plan.problem.root = info(collective).rooted ? random.below(ranks) : 0;
  const bool all = collective == Collective::allreduce;
  for (Chunk c = 0; c < plan.problem.total_chunks(); ++c) {
    Rank goal = random.below(ranks);
    for (Rank r = 0; !all && r < ranks; ++r) {
      for (const Run run : plan.problem.goal(r)) {
        if (c - run.first < run.count) goal = r;
      }
    }
    const Tree up = some_tree(ranks, random.one_in(3) ? random.below(ranks) : goal, random);
    for (Rank r = 0; r < ranks; ++r) {
      if (r == up.root) continue;
      plan.sent.push_back({up.step[r], copy(r, up.parent[r], c)});
      plan.sent.back().transfer.reduce = 1;
    }
    const Tree down = some_tree(ranks, up.root, random);
    for (Rank r = 0; r < ranks; ++r) {
      const bool needed = all || down.parent[r] == up.root;
      if (r != up.root && needed && (all || r == goal || random.one_in(2)))
        plan.sent.push_back({up.end + down.end - 1 - down.step[r], copy(down.parent[r], r, c)});
    }
    if (!all && goal != up.root && down.parent[goal] != up.root)
      plan.sent.push_back({up.end + down.end, copy(up.root, goal, c)});
  }
  sort_by_step(plan);
  return plan;
}

/// Says the same of a plan in both ways; returns whether the steps were read again for that.
bool trees_say_the_same(const naive::Plan& plan) {
  const Source source = source_of(plan);
  bool reopened = false;
  const auto trees = tree_holdings(source.problem, [&] {
    reopened = true;
    return source.open();
  });
  const auto sets =
      reduction_holdings(source.problem, source.problem.ranks, 1, all_chunks(source.problem));
  const Said expected = run(*sets, source);
  CHECK(run(*trees, source) == expected);
  return reopened;
}

}  // namespace

TEST_CASE("what is reduced along trees needs no sets of contributions") {
  using enum Collective;
  Random random(11);
  for (const Collective collective : {reduce, reduce_scatter, allreduce}) {
    for (Rank ranks = 2; ranks <= 9; ++ranks) {
      for (int i = 0; i < 20; ++i) {
        const naive::Plan plan = some_reduction(collective, ranks, random);
        REQUIRE(may_be_along_trees(plan.problem));
        INFO(text(plan, "duplex"));
        CHECK(!trees_say_the_same(plan));
      }
    }
  }
}

TEST_CASE("what is not quite reduced along trees is followed by sets of contributions") {
  using enum Collective;
  Random random(12);
  int wrong = 0, reopened = 0;
  for (const Collective collective : {reduce, reduce_scatter, allreduce}) {
    for (Rank ranks = 2; ranks <= 6; ++ranks) {
      for (int i = 0; i < 100; ++i) {
        const naive::Plan plan = mutant(some_reduction(collective, ranks, random), random);
        const auto violated = naive::simulate(plan, naive::model("kport:k=99", ranks)).violated;
        if (violated.contains("shape")) continue;  // holdings do not see it
        INFO(text(plan, "duplex"));
        wrong += violated.empty() ? 0 : 1;
        reopened += trees_say_the_same(plan) ? 1 : 0;
      }
    }
  }
  CHECK(wrong > 300);
  CHECK(reopened > 300);
}

TEST_CASE("sums that several ranks complete, and long transfers, are no reductions along trees") {
  naive::Plan plan;
  plan.problem.collective = Collective::allreduce;
  plan.problem.ranks = 4;
  for (const std::uint32_t chunks : {1U, 600U}) {
    plan.problem.chunks = chunks;
    plan.sent.clear();
    for (std::uint64_t step = 0; step < 2; ++step) {
      for (Rank r = 0; r < 4; ++r) {
        plan.sent.push_back({step, copy(r, r ^ (1U << step), 0, chunks)});
        plan.sent.back().transfer.reduce = 1;
      }
    }
    CHECK(!trees_say_the_same(plan));  // the first step shows it
    plan.sent.pop_back();
    CHECK(!trees_say_the_same(plan));
  }
}

TEST_CASE("of an order of operands, and of scans, states in trees say too little") {
  Problem problem;
  problem.ranks = 4;
  problem.collective = Collective::scan;
  CHECK(!may_be_along_trees(problem));
  problem.collective = Collective::allreduce;
  CHECK(may_be_along_trees(problem));
  problem.ordered = true;
  CHECK(!may_be_along_trees(problem));
  problem.ordered = false;
  problem.ranks = 1;  // nothing is sent, whatever the number of chunks
  CHECK(!may_be_along_trees(problem));
}
