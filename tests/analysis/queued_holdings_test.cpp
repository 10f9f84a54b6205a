// Copies that are passed on, and what is nearly that: the state that queues tell has the outcome of
// bits, and needs no bits where a schedule is right and transfers are short.

#include <algorithm>
#include <vector>

#include "analysis/holdings.hpp"
#include "analysis/queue_parts.hpp"
#include "catch.hpp"
#include "holdings_said.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"
#include "random_plans.hpp"

using namespace agreement;

namespace {

bool is_goal(const Problem& problem, Rank rank, Chunk chunk) {
  const auto goal = problem.goal(rank);
  return std::ranges::any_of(goal, [&](const Run& run) { return chunk - run.first < run.count; });
}

/// Each chunk reaches the ranks that need it, and some others, in any order and by any way.
naive::Plan some_copies(Collective collective, Rank ranks, Random& random) {
  naive::Plan plan;
  plan.problem.collective = collective;
  plan.problem.ranks = ranks;
  plan.problem.chunks = 1 + random.below(3);
  plan.problem.root = info(collective).rooted ? random.below(ranks) : 0;
  const Starts starts(plan.problem);
  for (Chunk c = 0; c < plan.problem.total_chunks(); ++c) {
    std::vector<std::pair<Rank, std::uint64_t>> holders;  // each with the step from which on it is
    std::vector<Rank> others;
    for (Rank r = 0; r < ranks; ++r) {
      if (starts.has(r, c)) {
        holders.emplace_back(r, 0);
      } else if (is_goal(plan.problem, r, c) || random.one_in(3)) {
        others.insert(others.begin() + random.below(others.size() + 1), r);
      }
    }
    for (const Rank r : others) {
      const auto [src, since] = random.pick(holders);
      const std::uint64_t step = since + random.below(3);
      plan.sent.push_back({step, copy(src, r, c)});
      holders.emplace_back(r, step + 1);
    }
  }
  sort_by_step(plan);
  return plan;
}

/// Says the same of a plan in both ways; returns whether the steps were read again for that.
bool queues_say_the_same(const naive::Plan& plan, std::size_t parts = 1) {
  const Source source = source_of(plan);
  const Problem& problem = source.problem;
  QueueParts queues(problem, {0, problem.ranks}, parts, 1, false, source.open);
  const auto follow = [&](const Step& step) {
    if (!queues.begun() && queues.forwards(step)) queues.begin(step.number);
    for (std::size_t part = 0; part < queues.size(); ++part) queues.follow(step, step, part);
  };
  bool reopened = false;
  const auto queued = queued_holdings(problem, queues, [&] {
    reopened = true;
    return source.open();
  });
  const auto bits = copy_holdings(problem, problem.ranks, 1, all_chunks(problem));
  const Said expected = run(*bits, source);
  CHECK(run(*queued, source, follow) == expected);
  return reopened;
}

const std::vector<Collective> copied{Collective::broadcast, Collective::scatter, Collective::gather,
                                     Collective::allgather, Collective::alltoall};

}  // namespace

TEST_CASE("what is passed on once needs no bits") {
  Random random(21);
  for (const Collective collective : copied) {
    for (Rank ranks = 2; ranks <= 9; ++ranks) {
      for (int i = 0; i < 20; ++i) {
        const naive::Plan plan = some_copies(collective, ranks, random);
        INFO(text(plan, "duplex"));
        for (const std::size_t parts : {1, 2, 20}) CHECK(!queues_say_the_same(plan, parts));
      }
    }
  }
}

TEST_CASE("what is not held, or arrives again, is followed by bits") {
  Random random(22);
  int wrong = 0, reopened = 0;
  for (const Collective collective : copied) {
    for (Rank ranks = 2; ranks <= 6; ++ranks) {
      for (int i = 0; i < 100; ++i) {
        const naive::Plan plan = mutant(some_copies(collective, ranks, random), random);
        const auto violated = naive::simulate(plan, naive::model("kport:k=99", ranks)).violated;
        if (violated.contains("shape")) continue;  // holdings do not see it
        // Senders that hold a part of what they send at the start are not followed here.
        if (std::ranges::any_of(plan.sent, [](const auto& s) { return s.transfer.count > 1; }))
          continue;
        INFO(text(plan, "duplex"));
        wrong += violated.empty() ? 0 : 1;
        reopened += queues_say_the_same(plan, 1 + random.below(3)) ? 1 : 0;
      }
    }
  }
  CHECK(wrong > 300);
  CHECK(reopened > 300);
}

TEST_CASE("long transfers after short ones are followed by bits") {
  naive::Plan plan;
  plan.problem.collective = Collective::broadcast;
  plan.problem.ranks = 4;
  plan.problem.chunks = 1100;
  plan.sent = {{0, copy(0, 1, 0)}, {1, copy(1, 2, 0)}, {2, copy(0, 1, 1, 511)}};
  CHECK(queues_say_the_same(plan));  // to say what ranks lack
  plan.sent.push_back({3, copy(0, 1, 512, 588)});
  for (Rank r = 2; r < 4; ++r) plan.sent.push_back({2 + r, copy(r - 1, r, r == 2 ? 1 : 0, 511)});
  plan.sent.push_back({6, copy(1, 2, 512, 588)});
  plan.sent.push_back({7, copy(2, 3, 511, 589)});
  for (const std::size_t parts : {1, 2, 4}) CHECK(queues_say_the_same(plan, parts));
}
