// Lower bounds of the model `levels`, from the groups of a level.
//
// Take each group of s ranks as a single rank. A schedule for P ranks moves between the G = P / s
// groups what a schedule for G ranks has to, whose blocks are those of s ranks together (alltoall:
// s^2), and whatever happens within groups is free. Messages between groups are of their level or
// of higher ones; alpha and beta below are the least of these.
//
// Any schedule: a group's ranks have c = s k lines each way, k being the ports of a rank. A message
// occupies a line for alpha + beta b or longer, so that B bytes take alpha + beta B / c or more:
// with n <= c messages one of them has B / n bytes, with more of them some line has two start-ups.
// And the number of groups that have been reached grows at most (c + 1)-fold in every alpha.
//
// Synchronous steps: only as many messages of a step leave a group, or enter it, at full bandwidth
// as its capacity says. n messages of a channel of capacity C take beta b max(1, n / C) each, the
// largest of them beta B max(1 / n, 1 / C) or more: so the bytes of a step take beta B / c, now
// with c = min(s k, C), where messages may share the channel as well as where they may not. If they
// may not, at most c groups are reached by each of those reached before in a step, else s k. Steps
// add up: those with a message between groups, and the others that ports make necessary.
//
// Where switches copy or combine messages the count of groups reached is void; no bounds are
// stated there.

#include "cost/level_bounds.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/demand.hpp"
#include "core/integers.hpp"
#include "core/saturating.hpp"
#include "cost/reals.hpp"

namespace schedcc {

namespace {

/// What must pass between groups.
struct Traffic {
  double busiest, all;  ///< bytes that some group sends, or receives, and of all
  double groups;

  /// The time for the bytes with c messages at once each way of a group.
  double bytes_over(std::uint64_t c) const {
    return std::max(busiest / to_double(c), all / (groups * to_double(c)));
  }
};

Traffic traffic(Problem problem, std::uint64_t size, std::uint64_t bytes) {
  double block = to_double(bytes);
  for (int i = 0; i < info(problem.collective).blocks; ++i) block *= to_double(size);
  problem.ranks = static_cast<Rank>(problem.ranks / size);
  problem.root = 0;
  problem.chunks = 1;
  const Demand need = demand(problem);
  return {to_double(need.busiest) * block, to_double(need.all) * block, to_double(problem.ranks)};
}

/// The least alpha and beta of a level and those above it.
LinkTime least_from(const CostModel& model, std::size_t level) {
  LinkTime least = model.levels.back();
  for (std::size_t l = level; l < model.levels.size(); ++l) {
    least.alpha = std::min(least.alpha, model.levels[l].alpha);
    least.beta = std::min(least.beta, model.levels[l].beta);
  }
  return least;
}

/// Keeps the larger of two bounds.
void raise(std::optional<TimeBound>& best, TimeBound bound) {
  if (!best || bound.seconds > best->seconds) best = std::move(bound);
}

}  // namespace

std::vector<TimeBound> level_bounds(const Problem& problem, const Machine& machine,
                                    const CostModel& model, std::uint64_t bytes) {
  if (problem.declared() || machine.in_network().any()) return {};
  const Levels& levels = *machine.levels();
  const bool shared = machine.channels() != nullptr && machine.channels()->shared();
  const std::uint64_t ports = machine.ports()->send;
  const std::uint64_t all_steps = ceil_log(ports + 1, problem.ranks);
  std::optional<TimeBound> any, stepwise;
  for (std::size_t l = 0; l < levels.groups.size(); ++l) {
    const auto& [size, out, in] = levels.groups[l];
    const std::uint64_t groups = problem.ranks / size;
    if (groups == 1) break;
    const auto [alpha, beta] = least_from(model, l + 1);
    const Traffic need = traffic(problem, size, bytes);
    const std::uint64_t lines = (Saturating(size) * ports).value();
    const std::uint64_t capacity = std::min(lines, std::max(out, in));
    raise(any, {fmt::format("groups of {} ranks: latency, or bytes to pass between them", size),
                "docs/cost.md", BoundedSchedules::any,
                std::max(alpha * to_double(ceil_log(lines + 1, groups)),
                         alpha + beta * need.bytes_over(lines))});
    const std::uint64_t steps = ceil_log((shared ? lines : capacity) + 1, groups);
    const std::uint64_t others = all_steps - std::min(steps, all_steps);
    raise(stepwise, {fmt::format("groups of {} ranks: steps, and bytes to pass between them", size),
                     "docs/cost.md", BoundedSchedules::synchronous,
                     alpha * to_double(steps) + model.alpha * to_double(others) +
                         beta * need.bytes_over(capacity)});
  }
  std::vector<TimeBound> result;
  if (any) result.push_back(std::move(*any));
  if (stepwise) result.push_back(std::move(*stepwise));
  return result;
}

}  // namespace schedcc
