// The formula of a window of exchanges (exchange_windows.cpp):
//
//     label(v, a, t)    when step t begins, the label of rank v has age a; of two roles, the young
//     label(v, 0, t)    it has none yet
//     message(u, v, t)  u sends to v in step t

#include "prove/sat/exchange/exchange_window.hpp"

#include <numeric>
#include <utility>

#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/round_messages.hpp"

namespace schedcc::prover {

std::shared_ptr<const Schedule> exchange_schedule(const ExchangeRoles& roles,
                                                  const std::vector<ExchangeStep>& steps,
                                                  Packets packets) {
  ExchangeSteps result(std::move(packets), roles.ranks());
  const std::uint64_t q = roles.q;
  for (const ExchangeStep& step : steps) {
    const auto now = static_cast<std::uint64_t>(result.now());
    for (const std::size_t message : step.messages) {
      const Arc& arc = roles.instance.arcs[message];
      const bool to_oldest = now < q || roles.parts.twice[arc.to] || step.ages[arc.to] == q;
      const std::uint64_t age = to_oldest ? step.ages[arc.from] : q;
      result.send(arc.from, arc.to, result.now() - static_cast<std::int64_t>(age));
    }
    result.advance();
  }
  return result.schedule();
}

ExchangeWindow::ExchangeWindow(const ExchangeRoles& roles, std::uint64_t begin, std::uint64_t end,
                               const Ages& start, Dice& dice, const PollLimits& poll_limits)
    : roles_(roles), begin_(begin), formula_(poll_limits) {
  formula_.expect_model();
  for (std::uint64_t t = begin; t <= end; ++t) add_labels(t, dice);
  for (Rank v = 0; v < roles_.ranks(); ++v) {
    if (v != roles_.root) formula_.add({label(v, start[v], begin)});
  }
  std::vector<std::size_t> arcs(roles_.instance.arcs.size());
  std::iota(arcs.begin(), arcs.end(), std::size_t{0});
  for (std::uint64_t t = begin; t < end; ++t) {
    dice.shuffle(arcs);
    add_step(t, arcs);
  }
}

Ages ExchangeWindow::ages(const Model& model, std::uint64_t t) const {
  Ages result(roles_.ranks());
  for (Rank v = 0; v < roles_.ranks(); ++v) {
    if (v == roles_.root) continue;
    for (std::uint64_t a = 1; a <= (roles_.parts.twice[v] ? roles_.q - 1 : roles_.q); ++a) {
      if (is_true(label(v, a, t), model)) result[v] = a;
    }
  }
  return result;
}

ExchangeStep ExchangeWindow::step(const Model& model, std::uint64_t t) const {
  return {ages(model, t), arcs_of(messages_[t - begin_], model)};
}

/// Has the rank that label when step t begins, of two roles either of them? Age 0: none.
Literal ExchangeWindow::label(Rank v, std::uint64_t age, std::uint64_t t) const {
  return labels_[t - begin_][v][age];
}

void ExchangeWindow::add_labels(std::uint64_t t, Dice& dice) {
  const bool over = t == roles_.steps();  // then any will do
  labels_.emplace_back(roles_.ranks(), Literals(roles_.q + 1, over ? Formula::yes : Formula::no));
  if (over) return;
  std::vector<Rank> order;
  for (Rank v = 0; v < roles_.ranks(); ++v) {
    if (v != roles_.root) order.push_back(v);
  }
  dice.shuffle(order);
  for (const Rank v : order) add_labels_of(v, t);
  for (std::uint64_t a = roles_.youngest_age(t); a <= roles_.oldest_age(t); ++a) mix(a, t);
}

void ExchangeWindow::add_labels_of(Rank v, std::uint64_t t) {
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
void ExchangeWindow::mix(std::uint64_t age, std::uint64_t t) {
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

void ExchangeWindow::add_step(std::uint64_t t, const std::vector<std::size_t>& arcs) {
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
void ExchangeWindow::take_part(Rank v, std::uint64_t t, Literals sends, Literals receives) {
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
void ExchangeWindow::connect(Literal message, const Arc& arc, std::uint64_t t, Literal to_oldest) {
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
void ExchangeWindow::send(Literal message, const Arc& arc, std::uint64_t t) {
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
bool ExchangeWindow::inside(std::uint64_t age, std::uint64_t t) const {
  if (age < roles_.youngest_age(t) || age > roles_.oldest_age(t)) return false;
  return !(roles_.root_counts(t) && age == roles_.youngest_age(t)) &&
         roles_.exact(roles_.count(age, t));
}

}  // namespace schedcc::prover
