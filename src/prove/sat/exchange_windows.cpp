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
// A solver chooses the pairs of ranks. No step depends on later ones but by the labels that it
// leaves, so the solver is asked for a window of some steps; the first of them counts, and the
// window moves on by one step. If there is no such window, the step before is chosen anew, after
// every second failure two steps, after every fourth three, and so on. After some failures windows
// become longer. In the formula of a window
//
//     label(v, a, t)    when step t begins, the label of rank v has age a; of two roles, the young
//     message(u, v, t)  u sends to v in step t
//
// The first labels may be any. What makes a next step likely is that labels are mixed: each part of
// the machine, a few neighbours, has its share of every label, rounded to either side. Labels of
// which every part has exactly its share are exchanged within parts only: on a mesh one message
// enters each square, and one leaves it, or two where all ranks play two roles. Variables are made
// in random order, with a fixed seed, so that a window that is chosen anew is another one.

#include "prove/sat/exchange_windows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "prove/sat/dice.hpp"
#include "prove/sat/exchange_parts.hpp"
#include "prove/sat/exchange_run.hpp"
#include "prove/sat/packets.hpp"
#include "prove/sat/repeated.hpp"

namespace schedcc::prover {

namespace {

/// The steps of the first windows, the failures after which they have one more, the most steps, and
/// the most messages that a formula of the first windows may have.
constexpr std::uint64_t window_steps = 2, patience = 8, most_steps = 4, most_messages = 40'000;

/// The ages of all ranks' labels, of two roles the young one's; 0 of the root.
using Ages = std::vector<std::uint64_t>;

/// Ranks, and the roles that they play.
struct ExchangeRoles {
  const Instance& instance;
  const ExchangeParts& parts;
  Rank root;
  std::uint64_t q;

  std::uint64_t oldest_age(Rank v) const { return parts.twice[v] ? q - 1 : q; }
  bool oldest(Rank v, const Ages& ages) const { return parts.twice[v] || ages[v] == q; }
  /// The part's share of the labels of an age, in 2^-q of a label.
  std::uint64_t share(std::uint64_t roles, std::uint64_t age) const { return roles << (age - 1); }
  /// Has every part exactly its share of these labels?
  bool exact(std::uint64_t age) const {
    return std::ranges::all_of(parts.roles(), [&](std::uint64_t roles) {
      return share(roles, age) % (std::uint64_t{1} << q) == 0;
    });
  }
};

/// The formula of a window.
class ExchangeWindow {
 public:
  ExchangeWindow(const ExchangeRoles& roles, std::uint64_t steps, const std::optional<Ages>& start,
                 Dice& dice, const PollLimits& poll_limits)
      : roles_(roles), formula_(poll_limits), messages_(steps) {
    formula_.expect_model();
    for (std::uint64_t age = 0; age <= roles_.q; ++age) {
      inside_.push_back(age > 0 && roles_.exact(age));
    }
    for (std::uint64_t t = 0; t <= steps; ++t) labels(t, dice);
    if (start) begin(*start);
    std::vector<std::size_t> arcs(roles_.instance.arcs.size());
    std::iota(arcs.begin(), arcs.end(), std::size_t{0});
    for (std::uint64_t t = 0; t < steps; ++t) {
      dice.shuffle(arcs);
      step(t, arcs);
    }
  }

  const Formula& formula() const { return formula_; }
  /// The labels when step t begins.
  Ages ages(const Model& model, std::uint64_t t) const {
    Ages result(ranks());
    for (Rank v = 0; v < ranks(); ++v) {
      for (std::uint64_t a = 1; v != roles_.root && a <= roles_.oldest_age(v); ++a) {
        if (model[static_cast<std::size_t>(labels_[t][v][a])]) result[v] = a;
      }
    }
    return result;
  }
  /// The arcs of the messages of the first step.
  std::vector<std::size_t> messages(const Model& model) const {
    std::vector<std::size_t> result;
    for (std::size_t a = 0; a < messages_.front().size(); ++a) {
      const Literal message = messages_.front()[a];
      if (message != Formula::no && model[static_cast<std::size_t>(message)]) result.push_back(a);
    }
    return result;
  }

 private:
  std::uint64_t ranks() const { return roles_.instance.ranks; }
  /// Has the rank that label; of two roles, either of them?
  Literal label(Rank v, std::uint64_t age, std::uint64_t t) const { return labels_[t][v][age]; }

  void labels(std::uint64_t t, Dice& dice) {
    labels_.emplace_back(ranks(), Literals(roles_.q + 1, Formula::no));
    std::vector<Rank> order;
    for (Rank v = 0; v < ranks(); ++v) {
      if (v != roles_.root) order.push_back(v);
    }
    dice.shuffle(order);
    for (const Rank v : order) {
      Literals young;
      for (std::uint64_t a = 1; a <= roles_.oldest_age(v); ++a) {
        young.push_back(labels_[t][v][a] = formula_.variable("label", {v, a, t}));
      }
      exactly_one(young, formula_);
      if (roles_.parts.twice[v]) labels_[t][v][roles_.q] = Formula::yes;
    }
    for (std::uint64_t a = 1; a <= roles_.q; ++a) mix(a, t);
  }

  /// The numbers of labels of an age when step t begins.
  void mix(std::uint64_t age, std::uint64_t t) {
    const std::vector<std::uint64_t> roles = roles_.parts.roles();
    std::vector<Literals> by_part(roles.size());
    Literals all;
    for (Rank v = 0; v < ranks(); ++v) {
      if (v == roles_.root) continue;
      all.push_back(label(v, age, t));
      by_part[roles_.parts.part[v]].push_back(all.back());
    }
    const std::uint64_t one = std::uint64_t{1} << roles_.q, count = one >> (roles_.q + 1 - age);
    formula_.at_most(all, count);
    if (t == 0) formula_.at_least(all, count);
    for (std::size_t part = 0; part < roles.size(); ++part) {
      const std::uint64_t share = roles_.share(roles[part], age);
      formula_.at_most(by_part[part], (share + one - 1) / one);
      formula_.at_least(by_part[part], share / one);
    }
  }

  void begin(const Ages& start) {
    for (Rank v = 0; v < ranks(); ++v) {
      if (v != roles_.root) formula_.add({label(v, start[v], 0)});
    }
  }

  void step(std::uint64_t t, const std::vector<std::size_t>& arcs) {
    RoundMessages messages(roles_.instance);
    for (const std::size_t a : arcs) {
      const Arc& arc = roles_.instance.arcs[a];
      if (arc.to != roles_.root) send(messages.add(a, t, formula_), arc, t);
    }
    for (Rank v = 0; v < ranks(); ++v) {
      formula_.at_most(messages.sent(v), 1);
      if (v == roles_.root) continue;
      exactly_one(messages.received(v), formula_);
      for (std::uint64_t a = 1; a < roles_.q; ++a) {
        formula_.add({-label(v, a, t), label(v, a + 1, t + 1)});
      }
    }
    formula_.add(messages.sent(roles_.root));
    messages.limit_channels(formula_);
    messages_[t] = std::move(messages).by_arc();
  }

  /// What a message requires, and its receiver's label after it.
  void send(Literal message, const Arc& arc, std::uint64_t t) {
    const std::uint64_t q = roles_.q;
    const auto [u, v] = std::pair(arc.from, arc.to);
    const Literal to_oldest = label(v, q, t);
    const Literal from_oldest = roles_.parts.twice[u] ? Formula::no : label(u, q, t);
    formula_.add({-message, from_oldest, to_oldest});
    formula_.add({-message, -from_oldest, -to_oldest});
    if (u == roles_.root) formula_.add({-message, label(v, 1, t + 1)});
    for (std::uint64_t a = 1; a < q; ++a) {
      formula_.add({-message, -to_oldest, -label(u, a, t), label(v, a + 1, t + 1)});
    }
    if (roles_.parts.twice[v]) formula_.add({-message, label(u, q - 1, t), label(v, q - 1, t)});
    if (roles_.parts.part[u] == roles_.parts.part[v]) return;
    if (inside_[q]) formula_.add({-message, to_oldest});
    for (std::uint64_t a = 1; a < q; ++a) {
      if (inside_[a]) formula_.add({-message, -label(u, a, t)});
    }
  }

  const ExchangeRoles& roles_;
  Formula formula_;
  std::vector<bool> inside_;                   ///< by age: are these labels exchanged within parts?
  std::vector<std::vector<Literals>> labels_;  ///< by step and rank, then by age
  std::vector<Literals> messages_;             ///< by step, then by arc
};

/// The search, step by step.
class WindowSearch {
 public:
  WindowSearch(const ExchangeRoles& roles, std::uint64_t steps, const SolverEntry& solver,
               const SolverLimits& limits)
      : roles_(roles), steps_(steps), solver_(solver), limits_(limits) {}

  bool find() {
    constexpr int most_windows = 200;
    for (int i = 0; i < most_windows && !limits_.reached(); ++i) {
      if (!next()) {
        back();
      } else if (made_.size() == steps_) {
        return true;
      }
    }
    return false;
  }

  std::shared_ptr<const Schedule> schedule(Packets packets) const {
    ExchangeSteps result(std::move(packets), roles_.instance.ranks);
    const auto q = static_cast<std::int64_t>(roles_.q);
    for (const Step& step : made_) {
      for (const std::size_t message : step.messages) {
        const Arc& arc = roles_.instance.arcs[message];
        const std::int64_t age =
            roles_.oldest(arc.to, step.ages) ? static_cast<std::int64_t>(step.ages[arc.from]) : q;
        result.send(arc.from, arc.to, result.now() - age);
      }
      result.advance();
    }
    return result.schedule();
  }

 private:
  struct Step {
    Ages ages;  ///< when it begins
    std::vector<std::size_t> messages;
    Ages after;
  };

  /// Makes the next step, if there is one.
  bool next() {
    constexpr std::chrono::seconds time(10);
    std::optional<Ages> start;
    if (!made_.empty()) start = made_.back().after;
    const std::uint64_t window = std::min(window_steps + failures_ / patience, most_steps);
    const ExchangeWindow next(roles_, std::min<std::uint64_t>(window, steps_ - made_.size()), start,
                              dice_, limit_checker(limits_));
    SolverLimits limits = limits_;
    const auto then = SolverLimits::Clock::now() + time;
    limits.deadline = std::min(limits_.deadline.value_or(then), then);
    Model model;
    if (solver_.solve(next.formula(), limits, model, "") != Answer::sat) return false;
    made_.push_back({next.ages(model, 0), next.messages(model), next.ages(model, 1)});
    return true;
  }

  /// Takes back the last step, or several.
  void back() {
    const auto steps = static_cast<std::size_t>(std::countr_zero(++failures_) + 1);
    made_.resize(made_.size() - std::min(steps, made_.size()));
  }

  const ExchangeRoles& roles_;
  std::uint64_t steps_;
  const SolverEntry& solver_;
  const SolverLimits& limits_;
  Dice dice_;
  std::vector<Step> made_;
  std::uint32_t failures_ = 0;  ///< windows that were not found
};

}  // namespace

std::shared_ptr<const Schedule> exchange_windows(const Instance& instance,
                                                 const std::vector<Delivery>& chunks,
                                                 const RankRows& rows, const SolverEntry& solver,
                                                 const SolverLimits& limits) {
  if (instance.ranks < 4 || !takes_one_port(instance) || !is_broadcast(instance, chunks) ||
      window_steps * instance.arcs.size() > most_messages) {
    return nullptr;
  }
  Packets all = packets(chunks, width(instance));
  const std::uint64_t steps = exchange_steps(instance.ranks, all.chunks.size());
  const Rank root = chunks.front().sources.front();
  const auto parts = exchange_parts(rows, root);
  if (!parts || parts->part.size() != instance.ranks || steps > instance.steps) return nullptr;
  const ExchangeRoles roles{instance, *parts, root,
                            static_cast<std::uint64_t>(std::bit_width(instance.ranks - 1))};
  WindowSearch search(roles, steps, solver, limits);
  return search.find() ? search.schedule(std::move(all)) : nullptr;
}

}  // namespace schedcc::prover
