#pragma once

// Plans that may be wrong: mutants with one or two changed transfers, and random plans.
//
// All is pseudo-random without the distributions of the standard library, so that the plans are the
// same everywhere.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "agreement.hpp"

namespace agreement {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// A number in 0..n-1.
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

inline void sort_by_step(Plan& plan) {
  std::stable_sort(plan.sent.begin(), plan.sent.end(),
                   [](const Sent& a, const Sent& b) { return a.step < b.step; });
}

using Mutation = void (*)(Plan&, std::size_t, Random&);

inline Rank some_node(const Plan& plan, Random& random) {
  return random.below(std::max<std::uint64_t>(plan.nodes, plan.problem.ranks));
}

inline void drop(Plan& plan, std::size_t i, Random&) {
  plan.sent.erase(plan.sent.begin() + static_cast<std::ptrdiff_t>(i));
}

inline void duplicate(Plan& plan, std::size_t i, Random& random) {
  Sent copy = plan.sent[i];
  copy.step += random.below(3);
  plan.sent.push_back(copy);
}

inline void swap_steps(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].step, plan.sent[random.below(plan.sent.size())].step);
}

inline void swap_destinations(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].transfer.dst, plan.sent[random.below(plan.sent.size())].transfer.dst);
}

inline void swap_order(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].transfer, plan.sent[random.below(plan.sent.size())].transfer);
}

inline void shift(Plan& plan, std::size_t i, Random& random) {
  std::uint64_t& step = plan.sent[i].step;
  step = random.one_in(2) || step == 0 ? step + 1 : step - 1;
}

inline void redirect(Plan& plan, std::size_t i, Random& random) {
  plan.sent[i].transfer.dst = some_node(plan, random);
}

inline void other_source(Plan& plan, std::size_t i, Random& random) {
  plan.sent[i].transfer.src = some_node(plan, random);
}

inline void other_chunk(Plan& plan, std::size_t i, Random& random) {
  Transfer& t = plan.sent[i].transfer;
  t.first = random.below(plan.problem.total_chunks() + (random.one_in(8) ? 1 : 0));
}

inline void other_count(Plan& plan, std::size_t i, Random& random) {
  Transfer& t = plan.sent[i].transfer;
  t.count = (random.one_in(2) ? t.count + 1U : t.count - 1U) & max_transfer_count;
}

inline void insert(Plan& plan, std::size_t i, Random& random) {
  Transfer t = copy(some_node(plan, random), some_node(plan, random),
                    random.below(plan.problem.total_chunks()));
  t.reduce = plan.sent[i].transfer.reduce;
  plan.sent.push_back({plan.sent[i].step, t});
}

inline void flip_reduce(Plan& plan, std::size_t i, Random&) { plan.sent[i].transfer.reduce ^= 1; }

inline void other_rounds(Plan& plan, std::size_t i, Random& random) {
  plan.rounds[plan.sent[i].step] = 2 + random.below(2);
}

/// Rounds of the next step, in which hops may be under way although no transfer starts.
inline void later_rounds(Plan& plan, std::size_t i, Random& random) {
  plan.rounds[plan.sent[i].step + 1] = 2 + random.below(2);
}

inline const std::vector<Mutation> mutations{
    drop,     duplicate,    insert,      swap_steps,  swap_destinations, swap_order,   shift,
    redirect, other_source, other_chunk, other_count, flip_reduce,       other_rounds, later_rounds,
};

/// One mutation, or two.
inline Plan mutant(Plan plan, Random& random) {
  const int times = random.one_in(4) ? 2 : 1;
  for (int i = 0; i < times && !plan.sent.empty(); ++i) {
    random.pick(mutations)(plan, random.below(plan.sent.size()), random);
    sort_by_step(plan);
  }
  return plan;
}

inline std::vector<Run> some_runs(std::uint32_t chunks, Random& random) {
  std::vector<Run> runs;
  for (Chunk c = 0; c < chunks; ++c) {
    if (random.one_in(2)) runs.push_back({c, 1 + random.below(random.one_in(2) ? chunks - c : 1)});
  }
  return runs;
}

/// Pre and post lines at random; a chunk is never both reduced and merely held.
inline std::shared_ptr<const Custom> some_custom(Rank ranks, std::uint32_t chunks, Random& random) {
  std::vector<Holding> pre, post;
  const Chunk border = random.below(chunks + 1);  // reduction chunks lie below it
  for (Rank r = 0; r < ranks; ++r) {
    if (random.one_in(4)) continue;
    const auto held = some_runs(chunks, random);
    if (!held.empty()) pre.push_back({r, held});
  }
  pre.push_back({random.below(ranks), {{0, chunks}}});
  for (Rank r = 0; r < ranks; ++r) {
    if (border > 0 && random.one_in(2)) post.push_back({r, some_runs(border, random), true});
    if (border == chunks || random.one_in(2)) continue;
    std::vector<Run> runs = some_runs(chunks - border, random);
    for (Run& run : runs) run.first += border;
    post.push_back({r, runs});
  }
  std::erase_if(post, [](const Holding& line) { return line.runs.empty(); });
  return std::make_shared<Custom>(pre, post);
}

inline Problem some_problem(Random& random) {
  Problem p;
  p.collective = collectives()[random.below(collectives().size())].collective;
  p.ranks = random.one_in(16) ? 1 : 2 + random.below(3);
  p.chunks = 1 + random.below(p.collective == Collective::alltoall ? 2 : 3);
  if (info(p.collective).rooted) p.root = random.below(p.ranks);
  if (p.collective == Collective::custom) p.custom = some_custom(p.ranks, p.chunks, random);
  p.ordered = p.reduction() && random.one_in(2);
  return p;
}

inline Transfer some_transfer(const Plan& plan, Random& random) {
  const std::uint64_t chunks = plan.problem.total_chunks();
  Transfer t = copy(some_node(plan, random), some_node(plan, random), random.below(chunks));
  const std::uint32_t more = random.one_in(3) ? random.below(chunks - t.first) : 0;
  t.count = (1 + more) & max_transfer_count;
  t.reduce = plan.problem.reduction() && !random.one_in(4);
  return t;
}

/// Random transfers; with `sense`, only such that do not violate shape or causality.
inline Plan some_plan(Random& random, bool sense) {
  Plan plan{some_problem(random), {}, 0};
  if (plan.problem.ranks < 2) return plan;
  const std::uint64_t steps = 1 + random.below(6);
  const std::uint32_t transfers = random.below(12);
  const naive::Model& model = naive::model("duplex", plan.problem.ranks);
  for (std::uint32_t i = 0; i < transfers; ++i) {
    Plan longer = plan;
    longer.sent.push_back({random.below(steps), some_transfer(plan, random)});
    sort_by_step(longer);
    const auto makes_sense = [&] {
      const auto found = naive::simulate(longer, model).violated;
      return found.count("shape") == 0 && found.count("causality") == 0;
    };
    if (!sense || makes_sense()) plan = std::move(longer);
  }
  return plan;
}

}  // namespace agreement
