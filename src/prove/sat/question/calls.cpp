// On LogP a message is two calls at different times: its sender's in the cycle in which it leaves,
// its receiver's o + L cycles later. Each rank makes its calls in the order of their times, those
// of a cycle together, and the two calls of a message complete together. So messages complete in
// some order, and the schedule runs to its end exactly if there is one:
//
//     after(v, t, k) rank v reaches its calls of cycle t after at least k messages, in
//                      sequence, have completed
//
//     after(v, t, k) -> after(v, t+1, k)
//     message(u, v, t) and after(w, s, k) -> after(w', s'+1, k+1)
//
// for both calls (w, s) of the message and both calls (w', s'). All of these are Horn clauses;
// calls that wait for one another would imply more messages than possible. Two messages that wait
// for each other, each sent before the other is received, are excluded explicitly: that is the most
// frequent case.

#include "prove/sat/question/calls.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace schedcc::prover {

namespace {

class Calls {
 public:
  Calls(const Instance& instance, std::uint64_t most, Formula& formula)
      : delay_(instance.logp->receive_delay()), most_(most), formula_(formula) {
    for (Rank v = 0; v < instance.ranks; ++v) {
      after_.emplace_back(1, Literals(most, Formula::no));  // no call is before cycle 0
      for (std::uint64_t t = 1; t <= instance.steps + 1; ++t) next_cycle(v, t);
    }
  }

  void add(const TimedMessage& message) {
    const RankCycle ends[] = {{message.from, message.step}, {message.to, message.step + delay_}};
    for (const RankCycle& call : ends) {
      for (const RankCycle& other : ends) completes(message.literal, call, other);
    }
  }

 private:
  struct RankCycle {
    Rank rank;
    std::uint64_t cycle;
  };

  void next_cycle(Rank v, std::uint64_t t) {
    after_[v].emplace_back();
    for (std::uint64_t k = 0; k < most_; ++k) {
      after_[v][t].push_back(formula_.variable("after", {v, t, k + 1}));
      formula_.add({-after_[v][t - 1][k], after_[v][t][k]});
    }
  }

  /// The message completes after all calls before `call`, and before all after `other`.
  void completes(Literal message, const RankCycle& call, const RankCycle& other) {
    const Literals& before = after_[call.rank][call.cycle];
    const Literals& then = after_[other.rank][other.cycle + 1];
    for (std::uint64_t k = 0; k <= most_; ++k) {
      formula_.add(
          {-message, k == 0 ? Formula::no : -before[k - 1], k == most_ ? Formula::no : then[k]});
    }
  }

  std::uint64_t delay_, most_;
  Formula& formula_;
  std::vector<std::vector<Literals>> after_;  ///< by rank, cycle, k - 1
};

/// Two ranks do not send to each other within less than `delay` cycles.
void exclude_crossings(const std::vector<TimedMessage>& messages, std::uint64_t delay,
                       Formula& formula) {
  std::map<std::pair<Rank, Rank>, std::vector<const TimedMessage*>> by_arc;
  for (const TimedMessage& message : messages) {
    by_arc[{message.from, message.to}].push_back(&message);
  }
  for (const TimedMessage& message : messages) {
    if (message.from > message.to) continue;
    for (const TimedMessage* back : by_arc[{message.to, message.from}]) {
      const std::uint64_t s = message.step, t = back->step;
      if (s < t + delay && t < s + delay) formula.add({-message.literal, -back->literal});
    }
  }
}

}  // namespace

void complete_calls(const Instance& instance, const std::vector<TimedMessage>& messages,
                    std::optional<std::uint64_t> most, Formula& formula) {
  if (messages.empty()) return;
  const std::uint64_t each = (instance.steps - 1) / instance.logp->spacing() + 1;  // receives
  const std::uint64_t all = each * instance.ranks;
  Calls calls(instance, std::min(most.value_or(all), all), formula);
  for (const TimedMessage& message : messages) calls.add(message);
  exclude_crossings(messages, instance.logp->receive_delay(), formula);
}

std::uint64_t enough_buffers(const LogP& model) {
  const std::uint64_t spacing = model.spacing();
  return std::max<std::uint64_t>(ceil_div(model.receive_delay(), spacing), 1);
}

}  // namespace schedcc::prover
