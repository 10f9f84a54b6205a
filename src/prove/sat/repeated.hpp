#pragma once

// Formulas for broadcasts by one port whose messages repeat themselves: of one description of a
// phase many steps are made.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "prove/sat/encoding.hpp"
#include "prove/sat/packets.hpp"

namespace schedcc::prover {

/// Exactly one of the literals is true.
inline void exactly_one(const Literals& literals, Formula& formula) {
  formula.add(literals);
  formula.at_most(literals, 1);
}

/// If one literal is true, two others are equal.
inline void equal_if(Literal condition, Literal x, Literal y, Formula& formula) {
  formula.add({-condition, -x, y});
  formula.add({-condition, x, -y});
}

/// If one literal is true, so is one of others.
inline void any_if(Literal condition, Literals others, Formula& formula) {
  others.push_back(-condition);
  formula.add(others);
}

/// The messages of a round.
class RoundMessages {
 public:
  explicit RoundMessages(const Instance& instance)
      : instance_(instance),
        by_arc_(instance.arcs.size(), Formula::no),
        sent_(instance.ranks),
        received_(instance.ranks),
        carried_(instance.channels.size()) {}

  /// Makes a variable for the message over an arc in this round.
  Literal add(std::size_t arc, std::uint64_t round, Formula& formula) {
    const Arc& over = instance_.arcs[arc];
    const Literal message = formula.variable("message", {over.from, over.to, round});
    by_arc_[arc] = message;
    sent_[over.from].push_back(message);
    received_[over.to].push_back(message);
    for (const std::size_t channel : over.channels) carried_[channel].push_back(message);
    return message;
  }
  const Literals& sent(Rank rank) const { return sent_[rank]; }
  const Literals& received(Rank rank) const { return received_[rank]; }
  const Literals& over(std::size_t channel) const { return carried_[channel]; }
  Literal by_arc(std::size_t arc) const { return by_arc_[arc]; }
  /// Channels carry no more than they can.
  void limit_channels(Formula& formula) const {
    for (std::size_t channel = 0; channel < carried_.size(); ++channel)
      formula.at_most(carried_[channel], instance_.channels[channel]);
  }
  /// By arc; Formula::no: none.
  Literals by_arc() && { return std::move(by_arc_); }

 private:
  const Instance& instance_;
  Literals by_arc_;
  std::vector<Literals> sent_, received_;  ///< by rank
  std::vector<Literals> carried_;          ///< by channel
};

/// The arcs whose messages a model has, of RoundMessages::by_arc().
inline std::vector<std::size_t> arcs_of(const Literals& by_arc, const std::vector<bool>& model) {
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < by_arc.size(); ++a) {
    const Literal message = by_arc[a];
    if (message != Formula::no && model[static_cast<std::size_t>(message)]) result.push_back(a);
  }
  return result;
}

/// Questions with more messages in all rounds of a rule have formulas that are too large.
constexpr std::uint64_t most_rule_messages = 100'000;

/// The formula of a rule, which has to live as long as the encoding.
template <typename Rule>
Encoding encode_rule(const std::shared_ptr<Rule>& rule, const PollLimits& poll_limits) {
  Encoding result{Formula(poll_limits), {}};
  rule->encode(result.formula);
  result.schedule = [rule](const std::vector<bool>& model) { return rule->schedule(model); };
  return result;
}

/// A formula without models, where there are no schedules of a kind.
inline Encoding no_schedule(const PollLimits& poll_limits) {
  Encoding result{Formula(poll_limits), {}};
  result.formula.add({});
  return result;
}

/// The formula of a `Rule`, which is made with the instance, its packets and `more`. False, of
/// which there is no model, where the question is no broadcast by one port, where the rule takes
/// more steps, or where its formula would be too large.
template <typename Rule, typename... More>
Encoding encode_repeated(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PollLimits& poll_limits, const More&... more) {
  std::shared_ptr<Rule> rule;
  if (instance.ranks >= 2 && takes_one_port(instance) && is_broadcast(instance, chunks)) {
    rule = std::make_shared<Rule>(instance, packets(chunks, width(instance)), more...);
  }
  if (rule == nullptr || rule->steps() > instance.steps || rule->messages() > most_rule_messages) {
    return no_schedule(poll_limits);
  }
  Encoding result = encode_rule(rule, poll_limits);
  result.formula.expect_model();
  return result;
}

}  // namespace schedcc::prover
