// Exchanges (exchange_run.cpp) on P ranks, 2^(q-1) < P <= 2^q: they have 2^q roles, and 2^q - P of
// the ranks, none of them the root, play two. Of the roles of such a rank exactly one has the
// oldest label, that of age q, when a step begins. In the step it receives the label of another
// rank, and sends its other one, its young label: one message each way, as every rank. Nobody has
// to send it the oldest label, so it need not send that either; ranks of one role with the oldest
// label are as many as the others of one role, with the root, which receive it from them. After the
// step one of the two young labels, that which it kept and that which it received, must have age q.
// With roles in the place of ranks this is an exchange: so K packets take K - 1 + q steps for every
// P, by the proof of exchange_run.cpp.
//
// There are no packets before the first, and none after the last, which is sent in their place. So
// in the first q steps, when fewer ranks have labels, these alone send, to ranks without one, and
// the channels have room. From step K on the last packet is the youngest label, of all ranks that
// would have it or a later one: which of these they have is of no account, as no label that is
// younger than the last packet becomes the oldest in time. So these ranks need not be told apart.
//
// A solver chooses the pairs of ranks. No step depends on later ones but by the labels that it
// leaves, so the solver is asked for a window of some steps; the first of them counts, and the
// window moves on by one step. If there is no such window, the step before is chosen anew, after
// every second failure two steps, after every fourth three, and so on. After some failures windows
// become longer.
//
// What makes a next step likely is that labels are mixed: each part of the machine, a few
// neighbours, has its share of every label, rounded to either side. Labels of which every part has
// exactly its share are exchanged within parts only: on a mesh one message enters each square, and
// one leaves it, or two where all ranks play two roles. Variables are made in random order, with a
// fixed seed, so that a window that is chosen anew is another one.

#include "prove/sat/exchange/exchange_windows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "prove/sat/exchange/exchange_parts.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/exchange_window.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/solve/dice.hpp"
#include "prove/sat/solve/time_limit.hpp"

namespace schedcc::prover {

namespace {

/// The steps of the first windows, the failures after which windows have one more, the most steps,
/// and the most messages of two steps.
constexpr std::uint64_t first_window = 2, patience = 8, most_steps = 4, most_messages = 40'000;

/// The search, step by step.
class WindowSearch {
 public:
  WindowSearch(const ExchangeRoles& roles, const SolverEntry& solver, const SolverLimits& limits)
      : roles_(roles), solver_(solver), limits_(limits) {}

  bool find() {
    constexpr int most_windows = 200;
    for (int i = 0; i < most_windows && !limits_.reached(); ++i) {
      if (!next()) {
        back();
      } else if (made_.size() == roles_.steps()) {
        return true;
      }
    }
    return false;
  }

  const std::vector<ExchangeStep>& steps() const { return made_; }

 private:
  /// Makes the next step, if there is one.
  bool next() {
    SolverLimits limits = within_time(limits_, std::chrono::seconds(10));
    limits.conflicts = 6'000;
    const Ages start = after_.empty() ? Ages(roles_.ranks()) : after_.back();
    const std::uint64_t window = std::min(first_window + failures_ / patience, most_steps);
    const std::uint64_t begin = made_.size(), end = std::min(begin + window, roles_.steps());
    ExchangeWindow next(roles_, begin, end, start, dice_, limit_checker(limits_));
    Model model;
    if (solver_.solve(next.formula(), limits, model, "") != Answer::sat) return false;
    made_.push_back(next.step(model, begin));
    after_.push_back(next.ages(model, begin + 1));
    return true;
  }

  /// Takes back the last step, or several.
  void back() {
    const auto steps = static_cast<std::size_t>(std::countr_zero(++failures_) + 1);
    made_.resize(made_.size() - std::min(steps, made_.size()));
    after_.resize(made_.size());
  }

  const ExchangeRoles& roles_;
  const SolverEntry& solver_;
  const SolverLimits& limits_;
  Dice dice_;
  std::vector<ExchangeStep> made_;
  std::vector<Ages> after_;     ///< the labels after each of these
  std::uint32_t failures_ = 0;  ///< windows that were not found
};

}  // namespace

std::shared_ptr<const Schedule> exchange_windows(const Instance& instance,
                                                 const std::vector<Delivery>& chunks,
                                                 const RankRows& rows, const SolverEntry& solver,
                                                 const SolverLimits& limits) {
  if (instance.ranks < 4 || !takes_one_port(instance) || !is_broadcast(instance, chunks) ||
      2 * instance.arcs.size() > most_messages) {
    return nullptr;
  }
  Packets all = packets(chunks, width(instance));
  const std::uint64_t steps = exchange_steps(instance.ranks, all.chunks.size());
  const Rank root = chunks.front().sources.front();
  const auto parts = exchange_parts(rows, root);
  if (!parts || parts->part.size() != instance.ranks || steps > instance.steps) return nullptr;
  const ExchangeRoles roles{instance, *parts, root,
                            static_cast<std::uint64_t>(std::bit_width(instance.ranks - 1)),
                            all.chunks.size()};
  WindowSearch search(roles, solver, limits);
  return search.find() ? exchange_schedule(roles, search.steps(), std::move(all)) : nullptr;
}

}  // namespace schedcc::prover
