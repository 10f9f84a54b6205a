// Exchanges (exchange_run.cpp, and exchange_windows.cpp for ranks with two roles) in which the
// labels of all ranks in all steps are known before the messages are.
//
// The 2^q roles are cut in halves, those in halves, and so on down to pairs. A group of level i,
// with 2^i roles, always has exactly one role whose label is younger than age q - i + 1: its
// leader. So one of its halves, which has that leader, leads, and the leader of the other half has
// age q - i + 1. Pairs are those of level 1, and of each pair one has the oldest label, that of age
// q: this is why two roles of a pair can be one rank. It holds for the group of all, whose leader
// is the root.
//
// In a step every group gives the label of its leader to another one of its level, and takes one:
//
// - Its leading half gives that label, and takes the label of age q - i + 1, that of some other
//   group's second half.
// - Its other half gives its label of age q - i + 1, and takes what the group takes: within a
//   leading half, as above, the label that is one step older than its leaders'; within another half
//   a younger one, which makes its receiver the leader of the group, and the half the leading one.
//
// Afterwards all labels are a step older, and again each group has one leader. As many groups give
// a label as take it, whichever they are. So it only has to be chosen which halves lead when the
// first step begins: then each rank sends one packet in each step, and receives one, both known,
// and who sends to whom can be chosen in each step for itself, if channels permit it. A message
// goes from group to group of each level on the way only where it has to, which leaves room for
// others.
//
// The search begins with random halves. The first step that the solver cannot make ends a try; then
// a few change, of groups that give or take packets in that step, and stay so unless fewer steps
// can be made. After some tries without a further step all are chosen anew. The random numbers have
// a fixed seed.

#include "prove/sat/nested_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "prove/sat/exchange_run.hpp"
#include "prove/sat/nested_groups.hpp"
#include "prove/sat/packets.hpp"
#include "prove/sat/repeated.hpp"

namespace schedcc::prover {

namespace {

/// All tries; those without a further step after which the search begins anew; the halves that
/// change in one, on average; the conflicts after which a step counts as one that cannot be made.
constexpr std::uint32_t most_tries = 10'000, vain_tries = 300;
constexpr double changed_halves = 2;
constexpr int most_conflicts = 6'000;
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
        solver_(solver),
        limits_(limits) {
    limits_.conflicts = most_conflicts;
  }

  bool find() {
    NestedGroups::Leaders leaders;
    for (std::uint32_t i = 0, last = 0; i < most_tries && !limits_.reached(); ++i) {
      NestedGroups::Leaders tried = leaders;
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

  Try make(NestedGroups::Leaders leaders) {
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
    if (solver_.solve(formula, limits_, model, "") != Answer::sat) return std::nullopt;
    const Literals by_arc = std::move(messages).by_arc();
    std::vector<std::size_t> result;
    for (std::size_t a = 0; a < by_arc.size(); ++a) {
      const Literal sent = by_arc[a];
      if (sent != Formula::no && model[static_cast<std::size_t>(sent)]) result.push_back(a);
    }
    return result;
  }

  const Instance& instance_;
  const Packets packets_;
  const std::uint64_t steps_;
  const NestedGroups groups_;
  const SolverEntry& solver_;
  SolverLimits limits_;
  Dice dice_;
  Try best_;
};

}  // namespace

std::shared_ptr<const Schedule> nested_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                const RankRows& rows, const SolverEntry& solver,
                                                const SolverLimits& limits) {
  if (instance.ranks < 4 || !rows.grid || !takes_one_port(instance) ||
      !is_broadcast(instance, chunks) || instance.arcs.size() > most_arcs) {
    return nullptr;
  }
  Packets all = packets(chunks, width(instance));
  if (exchange_steps(instance.ranks, all.chunks.size()) > instance.steps) return nullptr;
  NestedSearch search(instance, std::move(all), rows, solver, limits);
  return search.find() ? search.schedule() : nullptr;
}

}  // namespace schedcc::prover
