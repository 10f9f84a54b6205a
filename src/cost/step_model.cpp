// The model of a step: its time without bytes, and what a mebibyte adds to it.

#include "cost/step_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "cost/timing.hpp"
#include "schedcc/error.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

Source step_of(const StepMessages& messages) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  Problem problem;
  problem.ranks = 2;
  problem.chunks = 0;
  for (const auto& [src, dst] : messages) {
    schedule->add({src, dst, problem.chunks++, 1, 0});
    problem.ranks = std::max({problem.ranks, src + 1, dst + 1});
  }
  return from_schedule(problem, schedule);
}

StepMessages ring_messages(Rank ranks, Rank group, Rank shift, Rank apart, std::uint64_t each) {
  if (ranks % group != 0) throw InternalError("groups that do not divide the ranks");
  const Rank others = std::max(group / shift, 2u) - 1;
  StepMessages result;
  for (std::uint64_t i = 0; i < each; ++i) {
    const auto distance = static_cast<Rank>(shift * (1 + i % others));
    for (Rank rank = 0; rank < ranks; rank += apart) {
      const Rank first = rank / group * group;
      result.emplace_back(rank, first + (rank - first + distance) % group);
    }
  }
  return result;
}

CostModel model_of_step(const StepMessages& messages, const Machine& machine,
                        const CostModel& model) {
  const Source step = step_of(messages);
  const auto seconds = [&](std::uint64_t bytes) {
    const std::uint64_t all = bytes * messages.size();
    return time_below(HUGE_VAL, step, machine, model, all, {}).value().seconds;
  };
  constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
  const double start = seconds(0), per_byte = (seconds(bytes) - start) / bytes;
  return make_cost_model(
      fmt::format("alpha-beta:alpha={:.17g}s,beta={:.17g}s/B", start, std::max(per_byte, 0.0)));
}

}  // namespace schedcc
