#pragma once

// Formulas for broadcasts by one port whose messages repeat themselves: of one description of a
// phase many steps are made.

#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/encoding.hpp"
#include "prove/sat/packets.hpp"

namespace schedcc::prover {

/// The formula of a `Rule`, which is made with the instance, its packets and `more`. False, of
/// which there is no model, where the question is no broadcast by one port, where the rule takes
/// more steps, or where its formula would be too large.
template <typename Rule, typename... More>
Encoding encode_repeated(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PollLimits& poll_limits, const More&... more) {
  constexpr std::uint64_t most_messages = 100'000;
  Encoding result{Formula(poll_limits), {}};
  std::shared_ptr<Rule> rule;
  if (instance.ranks >= 2 && takes_packets(instance) && instance.ports->send == 1 &&
      instance.ports->receive == 1 && is_broadcast(instance, chunks)) {
    rule = std::make_shared<Rule>(instance, packets(chunks, width(instance)), more...);
  }
  if (rule == nullptr || rule->steps() > instance.steps || rule->messages() > most_messages) {
    result.formula.add({});
    return result;
  }
  result.formula.expect_model();
  rule->encode(result.formula);
  result.schedule = [rule](const std::vector<bool>& model) { return rule->schedule(model); };
  return result;
}

}  // namespace schedcc::prover
