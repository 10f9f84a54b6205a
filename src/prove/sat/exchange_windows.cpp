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
// become longer. (On grids of two rows few messages cross a column, and few windows of two steps
// have a next one: there they begin with three.) In the formula of a window
//
//     label(v, a, t)    when step t begins, the label of rank v has age a; of two roles, the young
//     label(v, 0, t)    it has none yet
//     message(u, v, t)  u sends to v in step t
//
// What makes a next step likely is that labels are mixed: each part of the machine, a few
// neighbours, has its share of every label, rounded to either side. Labels of which every part has
// exactly its share are exchanged within parts only: on a mesh one message enters each square, and
// one leaves it, or two where all ranks play two roles. Variables are made in random order, with a
// fixed seed, so that a window that is chosen anew is another one.

#include "prove/sat/exchange_windows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <utility>

#include "prove/sat/dice.hpp"
#include "prove/sat/exchange_parts.hpp"
#include "prove/sat/exchange_run.hpp"
#include "prove/sat/packets.hpp"
#include "prove/sat/repeated.hpp"

namespace schedcc::prover {

namespace {

/// The steps of the first windows, on grids of two rows or columns and on others; the failures
/// after which windows have one more, the most steps, and the most messages of two steps.
constexpr std::uint64_t narrow_window = 3, wide_window = 2, patience = 8, most_steps = 4,
                        most_messages = 40'000;

/// The ages of all ranks' labels, of two roles the young one's; 0 of the root, and of none.
using Ages = std::vector<std::uint64_t>;

/// Ranks, the roles that they play, and the labels that they may have.
struct ExchangeRoles {
  const Instance& instance;
  const ExchangeParts& parts;
  Rank root;
  std::uint64_t q;
  std::uint64_t packets;

  std::uint64_t ranks() const { return instance.ranks; }
  std::uint64_t steps() const { return packets - 1 + q; }
  /// The ages of labels when step t begins: that of the last packet, which is as good as those
  /// after it, to that of the first.
  std::uint64_t youngest_age(std::uint64_t t) const { return t < packets ? 1 : t + 1 - packets; }
  std::uint64_t oldest_age(std::uint64_t t) const { return std::min(t, q); }
  /// Is the root one of those with the youngest label?
  bool root_counts(std::uint64_t t) const { return t >= packets; }
  /// Of all labels, and those of the root, the ones of an age.
  std::uint64_t count(std::uint64_t age, std::uint64_t t) const {
    return std::uint64_t{1} << (root_counts(t) && age == youngest_age(t) ? age : age - 1);
  }
  /// May a rank have no label when step t begins? Of two roles one has the oldest.
  bool may_lack(Rank v, std::uint64_t t) const { return t + (parts.twice[v] ? 1 : 0) < q; }
  /// Has every part exactly its share of so many labels?
  bool exact(std::uint64_t labels) const {
    return std::ranges::all_of(parts.roles(), [&](std::uint64_t roles) {
      return roles * labels % (std::uint64_t{1} << q) == 0;
    });
  }
};

/// The formula of a window.
class ExchangeWindow {
 public:
  ExchangeWindow(const ExchangeRoles& roles, std::uint64_t begin, std::uint64_t end,
                 const Ages& start, Dice& dice, const PollLimits& poll_limits)
      : roles_(roles), begin_(begin), formula_(poll_limits) {
    formula_.expect_model();
    for (std::uint64_t t = begin; t <= end; ++t) labels(t, dice);
    for (Rank v = 0; v < roles_.ranks(); ++v) {
      if (v != roles_.root) formula_.add({label(v, start[v], begin)});
    }
    std::vector<std::size_t> arcs(roles_.instance.arcs.size());
    std::iota(arcs.begin(), arcs.end(), std::size_t{0});
    for (std::uint64_t t = begin; t < end; ++t) {
      dice.shuffle(arcs);
      step(t, arcs);
    }
  }

  const Formula& formula() const { return formula_; }
  /// The labels when step t begins.
  Ages ages(const Model& model, std::uint64_t t) const {
    Ages result(roles_.ranks());
    for (Rank v = 0; v < roles_.ranks(); ++v) {
      if (v == roles_.root) continue;
      for (std::uint64_t a = 1; a <= (roles_.parts.twice[v] ? roles_.q - 1 : roles_.q); ++a) {
        const Literal has = label(v, a, t);
        if (has != Formula::no && model[static_cast<std::size_t>(has)]) result[v] = a;
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
  /// Has the rank that label when step t begins, of two roles either of them? Age 0: none.
  Literal label(Rank v, std::uint64_t age, std::uint64_t t) const {
    return labels_[t - begin_][v][age];
  }

  void labels(std::uint64_t t, Dice& dice) {
    const bool over = t == roles_.steps();  // then any will do
    labels_.emplace_back(roles_.ranks(), Literals(roles_.q + 1, over ? Formula::yes : Formula::no));
    if (over) return;
    std::vector<Rank> order;
    for (Rank v = 0; v < roles_.ranks(); ++v) {
      if (v != roles_.root) order.push_back(v);
    }
    dice.shuffle(order);
    for (const Rank v : order) labels_of(v, t);
    for (std::uint64_t a = roles_.youngest_age(t); a <= roles_.oldest_age(t); ++a) mix(a, t);
  }

  void labels_of(Rank v, std::uint64_t t) {
    Literals& of_rank = labels_.back()[v];
    const bool twice = roles_.parts.twice[v];
    Literals one;
    const auto may_have = [&](std::uint64_t age) {
      one.push_back(of_rank[age] = formula_.variable("label", {v, age, t}));
    };
    if (roles_.may_lack(v, t)) may_have(0);
    const std::uint64_t oldest = std::min(roles_.oldest_age(t), twice ? roles_.q - 1 : roles_.q);
    for (std::uint64_t a = roles_.youngest_age(t); a <= oldest; ++a) may_have(a);
    exactly_one(one, formula_);
    if (twice && t >= roles_.q) of_rank[roles_.q] = Formula::yes;
  }

  /// The numbers of labels of an age when step t begins.
  void mix(std::uint64_t age, std::uint64_t t) {
    const std::vector<std::uint64_t> roles = roles_.parts.roles();
    std::vector<Literals> by_part(roles.size());
    Literals all;
    const bool with_root = roles_.root_counts(t) && age == roles_.youngest_age(t);
    for (Rank v = 0; v < roles_.ranks(); ++v) {
      if (v == roles_.root && !with_root) continue;
      all.push_back(v == roles_.root ? Formula::yes : label(v, age, t));
      by_part[roles_.parts.part[v]].push_back(all.back());
    }
    const std::uint64_t count = roles_.count(age, t);
    formula_.at_most(all, count);
    for (std::size_t part = 0; part < roles.size(); ++part) {
      const std::uint64_t share = roles[part] * count, one = std::uint64_t{1} << roles_.q;
      formula_.at_most(by_part[part], (share + one - 1) / one);
      formula_.at_least(by_part[part], share / one);
    }
  }

  void step(std::uint64_t t, const std::vector<std::size_t>& arcs) {
    RoundMessages messages(roles_.instance);
    for (const std::size_t a : arcs) {
      const Arc& arc = roles_.instance.arcs[a];
      if (arc.to != roles_.root) send(messages.add(a, t, formula_), arc, t);
    }
    formula_.add(messages.sent(roles_.root));
    for (Rank v = 0; v < roles_.ranks(); ++v) {
      formula_.at_most(messages.sent(v), 1);
      formula_.at_most(messages.received(v), 1);
      if (v != roles_.root) take_part(v, t, messages.sent(v), messages.received(v));
    }
    messages.limit_channels(formula_);
    messages_.push_back(std::move(messages).by_arc());
  }

  /// A rank sends its label and receives one, if it has one, or all have one.
  void take_part(Rank v, std::uint64_t t, Literals sends, Literals receives) {
    if (t < roles_.q) {
      const Literal lacks = label(v, 0, t);
      sends.push_back(lacks);
      formula_.add(sends);
      receives.push_back(-lacks);
      receives.push_back(label(v, 0, t + 1));
    }
    formula_.add(receives);
    for (std::uint64_t a = 1; a < roles_.q; ++a) {
      formula_.add({-label(v, a, t), label(v, a + 1, t + 1)});
    }
  }

  /// Which halves the message connects; `to_oldest`: does its receiver have the oldest label?
  void connect(Literal message, const Arc& arc, std::uint64_t t, Literal to_oldest) {
    const auto [u, v] = std::pair(arc.from, arc.to);
    const std::vector<bool>& twice = roles_.parts.twice;
    if (t < roles_.q) {
      formula_.add({-message, -label(u, 0, t)});
      if (!twice[v]) formula_.add({-message, label(v, 0, t)});
      return;
    }
    const Literal from_oldest = twice[u] ? Formula::no : label(u, roles_.q, t);
    formula_.add({-message, from_oldest, to_oldest});
    formula_.add({-message, -from_oldest, -to_oldest});
  }

  /// What a message requires, and its receiver's label after it.
  void send(Literal message, const Arc& arc, std::uint64_t t) {
    const std::uint64_t q = roles_.q;
    const auto [u, v] = std::pair(arc.from, arc.to);
    const Literal to_oldest = t < q ? Formula::yes : label(v, q, t);
    connect(message, arc, t, to_oldest);
    if (u == roles_.root) {
      formula_.add({-message, -to_oldest, label(v, roles_.youngest_age(t + 1), t + 1)});
    }
    for (std::uint64_t a = 1; a < q; ++a) {
      formula_.add({-message, -to_oldest, -label(u, a, t), label(v, a + 1, t + 1)});
    }
    if (roles_.parts.twice[v]) {
      formula_.add({-message, label(v, 0, t), label(u, q - 1, t), label(v, q - 1, t)});
    }
    if (roles_.parts.part[u] == roles_.parts.part[v]) return;
    if (inside(q, t)) formula_.add({-message, to_oldest});
    for (std::uint64_t a = 1; a < q; ++a) {
      if (inside(a, t)) formula_.add({-message, -label(u, a, t)});
    }
  }
  /// Are these labels exchanged within parts in step t?
  bool inside(std::uint64_t age, std::uint64_t t) const {
    if (age < roles_.youngest_age(t) || age > roles_.oldest_age(t)) return false;
    return !(roles_.root_counts(t) && age == roles_.youngest_age(t)) &&
           roles_.exact(roles_.count(age, t));
  }

  const ExchangeRoles& roles_;
  std::uint64_t begin_;
  Formula formula_;
  std::vector<std::vector<Literals>> labels_;  ///< by step and rank, then by age
  std::vector<Literals> messages_;             ///< by step, then by arc
};

/// The search, step by step.
class WindowSearch {
 public:
  WindowSearch(const ExchangeRoles& roles, std::uint64_t window, const SolverEntry& solver,
               const SolverLimits& limits)
      : roles_(roles), window_(window), solver_(solver), limits_(limits) {}

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

  std::shared_ptr<const Schedule> schedule(Packets packets) const {
    ExchangeSteps result(std::move(packets), roles_.ranks());
    const std::uint64_t q = roles_.q;
    for (const Step& step : made_) {
      const auto now = static_cast<std::uint64_t>(result.now());
      for (const std::size_t message : step.messages) {
        const Arc& arc = roles_.instance.arcs[message];
        const bool to_oldest = now < q || roles_.parts.twice[arc.to] || step.ages[arc.to] == q;
        const std::uint64_t age = to_oldest ? step.ages[arc.from] : q;
        result.send(arc.from, arc.to, result.now() - static_cast<std::int64_t>(age));
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
    const Ages start = made_.empty() ? Ages(roles_.ranks()) : made_.back().after;
    const std::uint64_t window = std::min(window_ + failures_ / patience, most_steps);
    const std::uint64_t begin = made_.size(), end = std::min(begin + window, roles_.steps());
    const ExchangeWindow next(roles_, begin, end, start, dice_, limit_checker(limits_));
    SolverLimits limits = limits_;
    const auto then = SolverLimits::Clock::now() + time;
    limits.deadline = std::min(limits_.deadline.value_or(then), then);
    Model model;
    if (solver_.solve(next.formula(), limits, model, "") != Answer::sat) return false;
    made_.push_back({start, next.messages(model), next.ages(model, begin + 1)});
    return true;
  }

  /// Takes back the last step, or several.
  void back() {
    const auto steps = static_cast<std::size_t>(std::countr_zero(++failures_) + 1);
    made_.resize(made_.size() - std::min(steps, made_.size()));
  }

  const ExchangeRoles& roles_;
  std::uint64_t window_;  ///< steps of the first windows
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
  const bool narrow = rows.grid && std::min(rows.rows, rows.columns) == 2;
  WindowSearch search(roles, narrow ? narrow_window : wide_window, solver, limits);
  return search.find() ? search.schedule(std::move(all)) : nullptr;
}

}  // namespace schedcc::prover
