// Exchanges (exchange_run.cpp, and exchange_windows.cpp for ranks with two roles) in which the
// labels of all ranks in all steps are known before the messages are.
//
// The 2^q roles are cut in halves, those in halves, and so on: groups of level i have 2^i roles,
// pairs level 1. When a step begins, one role of each group, its leader, has a label that is
// younger than age q - i + 1, and no other has. (The root, as if of age 0, leads the group of all.)
// The half with the leader leads. The leader of the other half has age q - i + 1 exactly: it is
// younger than q - i + 2, and does not lead the group. So 2^(a-1) roles have the label of age a, as
// in exchange_run.cpp, and of each pair one has the oldest, of age q: so one rank can play both.
//
// In a step every group but that of all sends its leader's label to another of its level, and takes
// a label; who sends one keeps it.
//
// - The leading half sends that label, and takes one of age q - i + 1. (The leading role of a pair
//   takes the oldest packet so, and its label stays.)
// - The other half sends its leader's label, of age q - i + 1, and takes what the group takes: the
//   new packet if that is all ranks, a label of age q - i if the group is a leading half itself,
//   else a younger one.
//
// Afterwards all labels are a step older, and each group has one leader again. In a leading half it
// is the same as before, since what was taken has age q - i + 1 now. In any other the old leader
// has age q - i + 1, and what was taken is younger: the other half leads from now on. Whatever the
// halves that lead, each label is sent by as many groups as take it. The root takes nothing, and
// the other rank of its pair, which would send it the oldest packet, sends nothing.
//
// So only the halves that lead when the first step begins have to be chosen. They determine which
// packet each rank sends and which it receives in every step; who sends to whom is a small formula
// for each step by itself. A group can do with one message out and one in, if the others stay
// inside, so few need to cross the machine.
//
// The search begins with random halves. A try ends with the first step that the solver cannot make.
// Then, in a few of the groups that send or take packets in that step, the other half leads at the
// start; this is kept unless fewer steps can be made. After many tries without a further step the
// search begins anew. The random numbers have a fixed seed.

#include "prove/sat/exchange/nested_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/nested_groups.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/round_messages.hpp"
#include "prove/sat/solve/time_limit.hpp"

namespace schedcc::prover {

namespace {

/// All tries: some ten seconds for up to so many packets. The more packets, the more steps for
/// which the same halves must do: then windows of exchanges come soon.
constexpr std::uint32_t most_tries = 10'000, few_packets = 8, most_tries_of_many = 200;
/// Those without a further step after which the search begins anew.
constexpr std::uint32_t vain_tries = 300;
/// The halves that change in one, on average.
constexpr double changed_halves = 2;
/// The conflicts, or the time, after which a step counts as one that cannot be made.
constexpr int most_conflicts = 6'000;
constexpr std::chrono::seconds most_time(2);
/// The most pairs of ranks.
constexpr std::size_t most_arcs = 20'000;

class NestedSearch {
 public:
  NestedSearch(const Instance& instance, Packets packets, const RankRows& grid,
               const SolverEntry& solver, const SolverLimits& limits)
      : instance_(instance),
        packets_(std::move(packets)),
        steps_(exchange_steps(instance.ranks, packets_.chunks.size())),
        groups_(grid, packets_.deliveries.front().sources.front(), packets_.chunks.size()),
        tries_(packets_.chunks.size() > few_packets ? most_tries_of_many : most_tries),
        solver_(solver),
        limits_(limits) {}

  bool find() {
    LeadingHalves leaders;
    for (std::uint32_t i = 0, last = 0; i < tries_ && !limits_.reached(); ++i) {
      LeadingHalves tried = leaders;
      if (i == 0 || i > last + vain_tries) {
        tried = groups_.random(dice_);
        best_ = {};
        last = i;
      } else {
        groups_.change(tried, best_.trading, changed_halves, dice_);
      }
      Try now = make(tried);
      if (now.steps.size() > best_.steps.size()) last = i;
      if (now.steps.size() < best_.steps.size()) continue;
      best_ = std::move(now);
      leaders = std::move(tried);
      if (best_.steps.size() == steps_) return true;
    }
    return false;
  }

  /// The schedule that was found.
  std::shared_ptr<const Schedule> schedule() const {
    ExchangeSteps result(packets_, instance_.ranks);
    for (const Step& step : best_.steps) {
      for (const std::size_t message : step.messages) {
        const Arc& arc = instance_.arcs[message];
        result.send(arc.from, arc.to, step.trades[arc.to].receives);
      }
      result.advance();
    }
    return result.schedule();
  }

 private:
  struct Step {
    std::vector<Trade> trades;
    std::vector<std::size_t> messages;  ///< their arcs
  };
  struct Try {
    std::vector<Step> steps;           ///< that can be made, from the first on
    std::vector<std::size_t> trading;  ///< groups in the first step that cannot
  };

  Try make(LeadingHalves leaders) const {
    Try result;
    for (std::size_t t = 0; t < steps_; ++t) {
      NestedStep step = groups_.step(t, leaders);
      auto messages = t < best_.steps.size() && best_.steps[t].trades == step.trades
                          ? best_.steps[t].messages
                          : find_messages(step.trades, t);
      if (!messages) {
        result.trading = std::move(step.trading);
        break;
      }
      result.steps.push_back({std::move(step.trades), std::move(*messages)});
    }
    return result;
  }

  /// Who sends to whom in step t; none if channels do not permit it.
  std::optional<std::vector<std::size_t>> find_messages(const std::vector<Trade>& trades,
                                                        std::uint64_t t) const {
    Formula formula(limit_checker(limits_));
    RoundMessages messages(instance_);
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const std::int64_t packet = trades[instance_.arcs[a].from].sends;
      if (packet >= 0 && packet == trades[instance_.arcs[a].to].receives)
        messages.add(a, t, formula);
    }
    for (Rank v = 0; v < instance_.ranks; ++v) {
      formula.at_most(messages.sent(v), 1);
      if (trades[v].receives >= 0) exactly_one(messages.received(v), formula);
    }
    messages.limit_channels(formula);
    Model model;
    SolverLimits limits = within_time(limits_, most_time);
    limits.conflicts = most_conflicts;
    if (solver_.solve(formula, limits, model, "") != Answer::sat) return std::nullopt;
    return arcs_of(std::move(messages).by_arc(), model);
  }

  const Instance& instance_;
  const Packets packets_;
  const std::uint64_t steps_;
  const NestedGroups groups_;
  const std::uint32_t tries_;
  const SolverEntry& solver_;
  const SolverLimits& limits_;
  Dice dice_;
  Try best_;
};

}  // namespace

std::shared_ptr<const Schedule> nested_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                const RankRows& rows, const SolverEntry& solver,
                                                const SolverLimits& limits) {
  if (instance.ranks < 4 || !rows.grid || rows.rows * rows.columns != instance.ranks ||
      !takes_one_port(instance) || !is_broadcast(instance, chunks) ||
      instance.arcs.size() > most_arcs) {
    return nullptr;
  }
  Packets all = packets(chunks, width(instance));
  if (exchange_steps(instance.ranks, all.chunks.size()) > instance.steps) return nullptr;
  NestedSearch search(instance, std::move(all), rows, solver, limits);
  return search.find() ? search.schedule() : nullptr;
}

}  // namespace schedcc::prover
