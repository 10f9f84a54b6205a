// Sums that are always made of the same parts, against the trees of additions of the simulator.

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "analysis/digest.hpp"
#include "analysis/holdings.hpp"
#include "catch.hpp"
#include "model/runs.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "simulator/expressions.hpp"

using namespace agreement;

namespace {

/// Ranks in any order exchange their sums with partners at distances 1, 2, 4, ... in this order.
/// `alike`: all chunks by the same order of ranks.
naive::Plan some_exchange(unsigned steps, std::uint32_t chunks, bool alike, Random& random) {
  naive::Plan plan;
  plan.problem = {Collective::allreduce, Rank{1} << steps, 0, chunks, false, nullptr};
  std::vector<Rank> order(plan.problem.ranks);
  std::iota(order.begin(), order.end(), Rank{0});
  for (Chunk c = 0; c < chunks; ++c) {
    for (Rank i = plan.problem.ranks; i-- > 1 && (c == 0 || !alike);)
      std::swap(order[i], order[random.below(i + 1)]);
    for (unsigned step = 0; step < steps; ++step) {
      for (Rank i = 0; i < order.size(); ++i) {
        plan.sent.push_back({step, copy(order[i], order[i ^ Rank{1} << step], c)});
        plan.sent.back().transfer.reduce = 1;
      }
    }
  }
  sort_by_step(plan);
  return plan;
}

/// The state at the end of a plan.
std::unique_ptr<Holdings> held_after(const naive::Plan& plan) {
  auto result = reduction_holdings(plan.problem, plan.problem.ranks, 1, all_chunks(plan.problem));
  Holdings::Outcome outcome;
  Digest digest;
  const auto stream = source_of(plan).open();
  for (Step step; stream->next(step);) {
    digest.read(step);
    result->advance(step, digest.chunks_meet(), outcome);
  }
  result->finish(outcome);
  return result;
}

/// How many different sums of a chunk, as trees of additions, ranks end with that hold it right.
std::size_t right_sums(const naive::Plan& plan, const Holdings& held, Chunk chunk) {
  const auto sums = naive::sums(plan.problem, plan.sent, [](const Transfer&) { return 1; });
  std::set<std::string> different;
  for (Rank r = 0; r < plan.problem.ranks; ++r) {
    if (held.right(r, chunk)) different.insert(sums.at({r, chunk}));
  }
  return different.size();
}

bool may_disagree(const Holdings& held, Chunk chunk) {
  return std::ranges::any_of(held.may_disagree(),
                             [&](const Run& run) { return chunk - run.first < run.count; });
}

}  // namespace

TEST_CASE("ranks that double what they have add up the same sums") {
  Random random(31);
  for (unsigned steps = 1; steps <= 5; ++steps) {
    for (const std::uint32_t chunks : {1U, 3U, 600U}) {
      naive::Plan plan = some_exchange(steps, chunks == 600 ? 1 : chunks, true, random);
      plan.problem.chunks = chunks;
      for (naive::Sent& sent : plan.sent) {
        if (chunks == 600) sent.transfer.count = chunks & max_transfer_count;  // one long transfer
      }
      const auto held = held_after(plan);
      CHECK(held->all_complete());
      CHECK(held->may_disagree().empty());
    }
  }
}

TEST_CASE("if ranks may not disagree, they have the same trees of additions") {
  Random random(32);
  int may = 0, same = 0, different = 0;
  for (int i = 0; i < ranges::part(1500, 6000); ++i) {
    const naive::Plan exchange =
        some_exchange(1 + random.below(3), 1 + random.below(2), random.one_in(2), random);
    const naive::Plan plan = mutant(mutant(exchange, random), random);
    const auto& model = naive::model("kport:k=99", plan.problem.ranks);
    if (naive::simulate(plan, model).violated.contains("shape")) continue;
    const auto held = held_after(plan);
    for (Chunk c = 0; c < plan.problem.chunks; ++c) {
      const std::size_t sums = right_sums(plan, *held, c);
      if (may_disagree(*held, c)) {
        ++may;
        different += sums > 1 ? 1 : 0;
        continue;
      }
      INFO(text(plan, "kport:k=99") << "\nchunk " << c);
      CHECK(sums <= 1);
      same += sums == 1 ? 1 : 0;
    }
  }
  CAPTURE(may, same, different);
  CHECK(same > 300);
  CHECK(different > 10);
  CHECK(may > different);
}
