// The model of a step: its time without bytes, and what a mebibyte adds to it.

#include "cost/step_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "cost/timing.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

namespace {

/// The time of a step in which each message has `bytes`.
double step_seconds(const StepMessages& messages, const Machine& machine, const CostModel& model,
                    std::uint64_t bytes) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  Problem problem;
  problem.ranks = 2;
  for (const auto& [src, dst] : messages) {
    schedule->add({src, dst, 0, 1, 0});
    problem.ranks = std::max({problem.ranks, src + 1, dst + 1});
  }
  return time_below(HUGE_VAL, from_schedule(problem, schedule), machine, model, bytes, {})
      .value()
      .seconds;
}

}  // namespace

StepMessages ring_messages(Rank ranks, Rank group, Rank shift, Rank apart) {
  StepMessages result;
  for (Rank rank = 0; rank < ranks; rank += apart) {
    const Rank first = rank / group * group;
    result.emplace_back(rank, first + (rank - first + shift) % group);
  }
  return result;
}

CostModel model_of_step(const StepMessages& messages, const Machine& machine,
                        const CostModel& model) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
  const double start = step_seconds(messages, machine, model, 0);
  const double per_byte = (step_seconds(messages, machine, model, bytes) - start) / bytes;
  return make_cost_model(
      fmt::format("alpha-beta:alpha={:.17g}s,beta={:.17g}s/B", start, std::max(per_byte, 0.0)));
}

}  // namespace schedcc
