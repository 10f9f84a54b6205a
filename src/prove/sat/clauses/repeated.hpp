#pragma once

// Formulas for broadcasts by one port whose messages repeat themselves: of one description of a
// phase many steps are made.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

/// Questions with more messages in all rounds of a rule have formulas that are too large.
constexpr std::uint64_t most_rule_messages = 100'000;

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
  Encoding result = encode_by(rule, poll_limits);
  result.formula.expect_model();
  return result;
}

}  // namespace schedcc::prover
